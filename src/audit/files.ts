import { createHash } from 'node:crypto';
import { type FileEntry, type WalkOptions, type WalkRoot, walkFolders } from '../documents/index.js';
import type { Ledger } from '../indexing/ledger.js';

/** The candidate files under the roots; whatever else the walk meets goes into the ledger. */
export async function* walkedFiles(
  roots: readonly WalkRoot[],
  walk: WalkOptions,
  ledger: Ledger,
): AsyncGenerator<FileEntry, void, undefined> {
  const options: WalkOptions = { ...walk, onIgnored: () => ledger.add({ filesIgnored: 1 }) };
  for await (const entry of walkFolders(roots, options)) {
    ledger.add({ filesSeen: 1 });
    if (entry.kind === 'file') yield entry;
    else {
      ledger.add({ filesFailed: 1 });
      ledger.skip({ source: entry.source, error: entry.error });
    }
  }
}

/**
 * A sample of so many files, the same in every run over the same files (a reservoir whose dice are hashes of the names).
 * Holds that many entries, however many files there are.
 */
export async function sampleFiles(files: AsyncIterable<FileEntry>, size: number): Promise<FileEntry[]> {
  const kept: FileEntry[] = [];
  let seen = 0;
  for await (const file of files) {
    seen++;
    const digest = createHash('sha256').update(file.source).digest();
    const place = kept.length < size ? kept.length : digest.readUIntBE(0, 6) % seen;
    if (place < size) kept[place] = file;
  }
  return kept;
}
