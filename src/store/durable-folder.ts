import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { folderTrouble } from './path-trouble.js';

/**
 * Makes a folder, and what is missing above it, in such a way that a power cut does not take it away again with all
 * that is synced inside. Blocks: for worker threads.
 */
export function makeFolder(folder: string): void {
  const first = make(folder) ?? folder;
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    try {
      syncFolder(dirname(made));
    } catch {
      // A folder that may be passed through but not read cannot be synced by us.
    }
    if (made === dirname(made)) return;
  }
}

function make(folder: string): string | undefined {
  try {
    return mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw folderTrouble(error, folder);
  }
}

/** Makes renames durable. Windows cannot open folders, and needs no such call. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
