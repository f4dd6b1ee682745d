import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { SluiceError } from '../errors.js';
import { addon } from '../native/addon.js';
import type { NativeFileLock } from '../native/contract.js';
import type { IndexLayout } from './layout.js';
import { pathTrouble } from './path-trouble.js';

/** Who writes, for the message only: the lock itself is the operating system's. */
interface LockOwner {
  pid: number;
  host: string;
  /** When the lock was taken, ISO 8601. */
  since: string;
  /** The program and what it was told to do; further arguments may be secrets. */
  command: string;
}

const COMMAND_UNITS = 200;

/**
 * The right to write into an index: a lock of the operating system on writer.lock, so that a killed process never
 * leaves it behind, and a process that has got its pid does not hold it.
 * @throws SLUICE_DISK_FAILED where the folder cannot be written
 */
export function tryWriterLock(layout: IndexLayout): NativeFileLock | undefined {
  const lock = tryLock(layout);
  if (!lock) return undefined;
  const owner: LockOwner = {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
    command: process.argv.slice(1, 3).join(' ').slice(0, COMMAND_UNITS),
  };
  try {
    writeFileSync(layout.lock, `${JSON.stringify(owner)}\n`);
  } catch {
    // Some systems refuse writing to a locked file, and the disk may be full: then the message names nobody.
  }
  return lock;
}

function tryLock({ lock, folder }: IndexLayout): NativeFileLock | null | undefined {
  try {
    return addon().tryLockFile(lock);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== 'SLUICE_DISK_FAILED') throw pathTrouble(error, 'write to the index', folder);
    throw new SluiceError(code, `cannot write to the index ${folder}: ${(error as Error).message}`, {
      hint: 'check who may write there; searching needs no right to write',
      cause: error,
      details: { path: folder },
    });
  }
}

/** @throws SLUICE_INDEX_LOCKED naming the process that holds it */
export function writerLock(layout: IndexLayout): NativeFileLock {
  const lock = tryWriterLock(layout);
  if (lock) return lock;
  const owner = ownerOf(layout);
  throw new SluiceError(
    'SLUICE_INDEX_LOCKED',
    `${describe(owner)} is writing to the index ${layout.folder}`,
    {
      hint: 'wait until it is done, or close its writer',
      details: { folder: layout.folder, ...owner, pid: owner.pid ?? null },
    },
  );
}

function describe({ pid, host, since, command }: Partial<LockOwner>): string {
  if (pid === undefined) return 'another process';
  const here = host === undefined || host === hostname();
  if (here && pid === process.pid) return 'this process';
  const place = here ? '' : ` on ${host}`;
  const program = command ? ` (${command})` : '';
  return `process ${pid}${place}${program}${since ? `, since ${since},` : ''}`;
}

function ownerOf(layout: IndexLayout): Partial<LockOwner> {
  try {
    const owner: unknown = JSON.parse(readFileSync(layout.lock, 'utf8'));
    return typeof owner === 'object' && owner !== null ? owner : {};
  } catch {
    return {};
  }
}
