import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SluiceError } from '../../errors.js';
import { addon } from '../../native/addon.js';
import type { NativeFileLock } from '../../native/contract.js';
import { syncFolder } from '../durable-folder.js';
import { type IndexLayout, indexLayout } from '../layout.js';
import { writerLock } from '../lock.js';
import { folderTrouble, pathTrouble } from '../path-trouble.js';
import { leftOf, unfinishedBeside } from './unfinished.js';

/** Of two at once that want the same place, the first one to be whole has it. */
const OVERTAKEN = 'was filled by somebody else meanwhile';

/** A folder under construction beside the place where it is wanted. */
export interface StagedFolder {
  layout: IndexLayout;
  /** Held; whoever takes it over releases it. */
  lock: NativeFileLock;
}

/**
 * Makes an index that appears under its name only when it is whole: it is built in a folder beside it and renamed.
 * What a killed process left of the same target is removed.
 * @param sync makes all files of a folder durable, in a worker
 * @throws SLUICE_USAGE where the target holds something; SLUICE_DISK_FAILED where nothing can be made
 */
export async function inStagedFolder<T>(
  target: string,
  build: (staged: StagedFolder) => Promise<T>,
  sync: (folder: string) => Promise<void>,
): Promise<T> {
  const wanted = resolve(target);
  await refuseFilled(wanted);
  const layout = indexLayout(unfinishedBeside(wanted));
  try {
    for (const left of leftOf(wanted))
      if (isAbandoned(left)) await rm(left, { recursive: true, force: true });
    await mkdir(layout.folder, { recursive: true });
  } catch (error) {
    throw folderTrouble(error, wanted);
  }
  const lock = writerLock(layout);
  try {
    const built = await build({ layout, lock });
    await rm(layout.lock, { force: true });
    await sync(layout.folder);
    await refuseFilled(wanted, OVERTAKEN);
    await rmdir(wanted).catch(() => {});
    await rename(layout.folder, wanted).catch((error) => {
      throw ['ENOTEMPTY', 'EEXIST'].includes(error.code) ? filled(wanted, OVERTAKEN) : error;
    });
    await syncEntries(dirname(wanted));
    return built;
  } catch (error) {
    lock.release();
    await rm(layout.folder, { recursive: true, force: true }).catch(() => {});
    const { code } = error as { code?: unknown };
    throw typeof code === 'string' ? pathTrouble(error, 'make the folder', wanted) : error;
  }
}

/** A process of another container may have a number that no process has here: its lock is seen everywhere. */
function isAbandoned(folder: string): boolean {
  try {
    const lock = addon().tryLockFile(indexLayout(folder).lock);
    lock?.release();
    return lock !== null;
  } catch {
    // No folder, or nothing of ours to lock: then the removal says what is wrong.
    return true;
  }
}

async function refuseFilled(folder: string, problem = 'is not empty'): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code !== 'ENOTDIR') throw pathTrouble(error, 'make the folder', folder);
    throw filled(folder, 'is a file, or lies below one');
  }
  throw filled(folder, problem);
}

function filled(folder: string, problem: string): SluiceError {
  return new SluiceError('SLUICE_USAGE', `${folder} ${problem}`, {
    hint: 'name a folder that is new or empty',
    details: { folder },
  });
}

/** Makes a rename durable, without blocking. Windows cannot open folders, and needs no such call. */
async function syncEntries(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
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
