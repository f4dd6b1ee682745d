import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SluiceError } from '../../errors.js';
import type { NativeFilterIndex } from '../../native/contract.js';

/**
 * Segment files of the filter columns: `<generation>.cols` holds the documents that lived at that generation. The
 * bytes belong to native-bindings/src/filters/segment.rs.
 */

export function filterFile(folder: string, generation: number): string {
  return join(folder, `${generation}.cols`);
}

/**
 * @param owners what the file may say that it is of
 * @param asOf generation of the reader
 * @throws SLUICE_NOT_FOUND; SLUICE_INDEX_CORRUPT where it is damaged, another index's, or of another copy of this one
 */
export async function openFilters(
  native: NativeFilterIndex,
  folder: string,
  generation: number,
  owners: readonly string[],
  asOf = generation,
): Promise<void> {
  const path = filterFile(folder, generation);
  let problem: unknown;
  for (const owner of owners) {
    try {
      await native.open(path, owner, generation, asOf);
      return;
    } catch (error) {
      problem ??= error;
    }
  }
  if (problem !== undefined) throw problem;
  throw new SluiceError('SLUICE_INDEX_CORRUPT', `the file ${path} is ahead of the database`, {
    hint: 'the next publish removes it',
    details: { path },
  });
}

/** Newest first; none where there is no folder. */
export function filterGenerations(folder: string): number[] {
  return namesIn(folder)
    .flatMap((name) => /^(\d+)\.cols$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

/** Removes all files but one, and what a killed writer left half-written. Readers keep what they have opened. */
export function removeOtherFilters(folder: string, generation: number | undefined): void {
  for (const name of namesIn(folder)) {
    if (!/^\d+\.cols(\..*\.tmp)?$/.test(name) || name === `${generation}.cols`) continue;
    try {
      rmSync(join(folder, name), { force: true });
    } catch {
      // Windows keeps a file that a reader has mapped: the next publish removes it.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
