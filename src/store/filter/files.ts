import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Segment files of the filter columns: `<generation>.cols` holds the documents that lived at that generation. The
 * bytes belong to native-bindings/src/filters/segment.rs.
 */

export function filterFile(folder: string, generation: number): string {
  return join(folder, `${generation}.cols`);
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
