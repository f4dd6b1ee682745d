import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './graph-files.js';
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
