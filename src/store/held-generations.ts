import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addon } from '../native/addon.js';
import type { NativeFileLock } from '../native/contract.js';

/**
 * Which generations readers look at, in this process and in others: the rows of those must stay. For each generation
 * that can be searched the writer keeps an empty file, and a reader shares a lock on the one of its generation: it
 * needs no right to write for that, and the lock ends with its process, however that ends.
 */

/** Writer's side, before a generation can be seen. */
export function announceGeneration(folder: string, generation: number): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${generation}`), '');
}

/**
 * Writer's side. Takes back what was announced and is not held any more.
 * @param newest stays announced, because readers may be coming to it
 * @returns the oldest generation that a reader holds; `newest` where none is older
 */
export function oldestHeldGeneration(folder: string, newest: number): number {
  let oldest = newest;
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const generation = Number(name);
    if (generation < newest && !takeBack(join(folder, name))) oldest = Math.min(oldest, generation);
  }
  return oldest;
}

function takeBack(file: string): boolean {
  const lock = addon().tryLockFile(file);
  if (!lock) return false;
  try {
    rmSync(file, { force: true });
    return true;
  } catch {
    // Windows refuses while somebody has it open.
    return false;
  } finally {
    lock.release();
  }
}

/**
 * Reader's side. Undefined where the generation was taken back, or never announced: by a release that did not do so,
 * or before a power cut.
 */
export function holdGeneration(folder: string, generation: number): NativeFileLock | undefined {
  const file = join(folder, `${generation}`);
  try {
    const lock = addon().tryShareFile(file);
    if (!lock) return undefined;
    // Between opening and locking it, the writer may have taken it back: then this is a lock on a file without a name.
    if (existsSync(file)) return lock;
    lock.release();
  } catch {
    // No right to read it: then the index is read without holding anything.
  }
  return undefined;
}
