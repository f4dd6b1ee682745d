import { readFileSync, writeFileSync } from 'node:fs';
import { SluiceError } from '../errors.js';
import { addon } from '../native/addon.js';
import type { NativeFileLock } from '../native/contract.js';
import type { IndexLayout } from './layout.js';

/**
 * The right to write into an index: a lock of the operating system on writer.lock, so that a killed process never
 * leaves it behind. The file holds the owner's pid, for the message only.
 */
export function tryWriterLock(layout: IndexLayout): NativeFileLock | undefined {
  const lock = addon().tryLockFile(layout.lock);
  if (!lock) return undefined;
  try {
    writeFileSync(layout.lock, `${process.pid}\n`);
  } catch {
    // Some systems refuse writing to a locked file: then the message goes without a pid.
  }
  return lock;
}

/** @throws SLUICE_INDEX_LOCKED naming the process that holds it */
export function writerLock(layout: IndexLayout): NativeFileLock {
  const lock = tryWriterLock(layout);
  if (lock) return lock;
  const pid = ownerOf(layout);
  const owner =
    pid === undefined ? 'another process' : pid === process.pid ? 'this process' : `process ${pid}`;
  throw new SluiceError('SLUICE_INDEX_LOCKED', `${owner} is writing to the index ${layout.folder}`, {
    hint: 'wait until it is done, or close its writer',
    details: { folder: layout.folder, pid: pid ?? null },
  });
}

function ownerOf(layout: IndexLayout): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(layout.lock, 'utf8'), 10);
    return Number.isNaN(pid) ? undefined : pid;
  } catch {
    return undefined;
  }
}
