import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { setImmediate as pause } from 'node:timers/promises';
import { throwIfAborted } from '../errors.js';

/** Entries sorted or merged between two pauses: well under a millisecond of work. */
const STEP_ENTRIES = 1024;

/**
 * Entries of a directory, sorted by the UTF-16 units of their names. One sort of a directory of a million names would
 * block its thread for a second: names are sorted in runs as they are read, and merged with pauses between.
 * @throws what the file system says, SLUICE_ABORTED
 */
export async function sortedDirectory(path: string, signal: AbortSignal | undefined): Promise<Dirent[]> {
  let runs: Dirent[][] = [[]];
  for await (const entry of await opendir(path, { bufferSize: 256 })) {
    if (runs.at(-1)!.push(entry) < STEP_ENTRIES) continue;
    runs.at(-1)!.sort(byName);
    runs.push([]);
    throwIfAborted(signal);
  }
  runs.at(-1)!.sort(byName);
  while (runs.length > 1) {
    const merged: Dirent[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(i + 1 < runs.length ? await merge(runs[i]!, runs[i + 1]!) : runs[i]!);
      throwIfAborted(signal);
    }
    runs = merged;
  }
  return runs[0]!;
}

async function merge(left: readonly Dirent[], right: readonly Dirent[]): Promise<Dirent[]> {
  const merged: Dirent[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const takeLeft = j >= right.length || (i < left.length && byName(left[i]!, right[j]!) < 0);
    merged.push(takeLeft ? left[i++]! : right[j++]!);
    if (merged.length % STEP_ENTRIES === 0) await pause();
  }
  return merged;
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
