import type { Dirent, Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

/** Files whose state is asked for at once: enough to keep the file system's threads busy. */
const STATS_AT_ONCE = 64;

/** A name in a directory, with its state asked for where it is a file. */
export interface Child {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly isLink: boolean;
  /** Undefined for directories and links; an error if it can't be had. */
  readonly stats: Stats | Error | undefined;
}

/** The children of a directory in the order of its entries, their states asked for in batches. */
export async function* childrenOf(
  path: string,
  entries: readonly Dirent[],
): AsyncGenerator<Child, void, void> {
  for (let from = 0; from < entries.length; from += STATS_AT_ONCE) {
    const batch = entries.slice(from, from + STATS_AT_ONCE);
    yield* await Promise.all(batch.map((entry) => childOf(path, entry)));
  }
}

async function childOf(path: string, entry: Dirent): Promise<Child> {
  const { name } = entry;
  if (entry.isDirectory()) return { name, isDirectory: true, isLink: false, stats: undefined };
  if (entry.isSymbolicLink()) return { name, isDirectory: false, isLink: true, stats: undefined };
  try {
    // Some file systems tell no type in the listing.
    const stats = await lstat(join(path, name));
    return { name, isDirectory: stats.isDirectory(), isLink: stats.isSymbolicLink(), stats };
  } catch (error) {
    return { name, isDirectory: false, isLink: false, stats: error as Error };
  }
}
