import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';

/**
 * Names for what is made beside its place and renamed when it is whole: `.<name>.sluice-<pid>-<host>-<random>.unfinished`.
 * Nobody else's file is called so, and the name tells whether the process that makes it still runs.
 */

const MOST_UNITS = 60;
const HOST_DIGITS = 8;

/** A name that nothing has yet, in the same folder. */
export function unfinishedBeside(path: string): string {
  const random = randomBytes(6).toString('hex');
  return join(dirname(path), `${prefixOf(path)}${process.pid}-${host()}-${random}.unfinished`);
}

/** What killed processes of this machine left of the same target. */
export function leftOf(path: string): string[] {
  const prefix = prefixOf(path);
  const folder = dirname(path);
  return namesIn(folder)
    .filter((name) => name.startsWith(prefix) && isLeft(name.slice(prefix.length)))
    .map((name) => join(folder, name));
}

function prefixOf(path: string): string {
  const name = basename(path);
  // File systems take 255 bytes; names that are cut the same way are told apart by what was cut off.
  const short =
    name.length <= MOST_UNITS ? name : `${name.slice(0, MOST_UNITS - HOST_DIGITS)}${digest(name)}`;
  return `.${short}.sluice-`;
}

function isLeft(rest: string): boolean {
  const [, pid, machine] = /^(\d+)-([0-9a-f]{8})-[0-9a-f]{12}\.unfinished$/.exec(rest) ?? [];
  return machine === host() && !runs(Number(pid));
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function host(): string {
  return digest(hostname());
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HOST_DIGITS);
}
