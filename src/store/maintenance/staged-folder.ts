import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SluiceError } from '../../errors.js';
import type { NativeFileLock } from '../../native/contract.js';
import { syncFolder } from '../graph-files.js';
import { type IndexLayout, indexLayout } from '../layout.js';
import { writerLock } from '../lock.js';

/** A folder under construction beside the place where it is wanted. */
export interface StagedFolder {
  layout: IndexLayout;
  /** Held; whoever takes it over releases it. */
  lock: NativeFileLock;
}

/**
 * Makes an index that appears under its name only when it is whole: it is built in `<target>.unfinished` and renamed.
 * What a killed process left there is removed.
 * @param sync makes all files of a folder durable, in a worker
 * @throws SLUICE_USAGE where the target holds something; SLUICE_INDEX_LOCKED where another process is making it
 */
export async function inStagedFolder<T>(
  target: string,
  build: (staged: StagedFolder) => Promise<T>,
  sync: (folder: string) => Promise<void>,
): Promise<T> {
  const wanted = resolve(target);
  refuseFilled(wanted);
  const layout = indexLayout(`${wanted}.unfinished`);
  mkdirSync(layout.folder, { recursive: true });
  const lock = writerLock(layout);
  try {
    empty(layout);
    const built = await build({ layout, lock });
    rmSync(layout.lock, { force: true });
    await sync(layout.folder);
    refuseFilled(wanted);
    if (statSync(wanted, { throwIfNoEntry: false })) rmdirSync(wanted);
    renameSync(layout.folder, wanted);
    syncFolder(dirname(wanted));
    return built;
  } catch (error) {
    lock.release();
    rmSync(layout.folder, { recursive: true, force: true });
    throw error;
  }
}

function refuseFilled(folder: string): void {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (!stat || (stat.isDirectory() && readdirSync(folder).length === 0)) return;
  throw new SluiceError('SLUICE_USAGE', `${folder} ${stat.isDirectory() ? 'is not empty' : 'is a file'}`, {
    hint: 'name a folder that is new or empty',
    details: { folder },
  });
}

function empty({ folder, lock }: IndexLayout): void {
  for (const name of readdirSync(folder)) {
    if (join(folder, name) !== lock) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Blocks: for worker threads. */
export function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else syncFile(path);
  }
  syncFolder(folder);
}

export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
