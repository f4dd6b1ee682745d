import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreWriter } from '../model/store.js';
import { boundedMap } from './bounded-map.js';
import type { Ledger } from './ledger.js';
import type { SeenSources } from './seen-sources.js';

const STATS_UNDER_WAY = 32;
const DOCUMENTS_PER_COMMIT = 256;

/**
 * Removes the documents of files that vanished below a root. Runs before anything is added, so that a moved JSONL
 * file does not find its own ids taken.
 */
export async function removeVanished(
  folders: { prefix: string; path: string }[],
  writer: StoreWriter,
  ledger: Ledger,
): Promise<void> {
  for (const { prefix, path } of folders) {
    const sources = await writer.sourcesUnder(prefix);
    const checks = boundedMap(sources, STATS_UNDER_WAY, async (source) => ({
      source,
      gone: await vanished(join(path, source.slice(prefix.length))),
    }));
    for await (const { source, gone } of checks) {
      if (!gone) continue;
      await removeSource(source, writer, ledger);
      ledger.add({ filesRemoved: 1 });
    }
  }
}

/** Removes all documents of roots, files or folders, that are gone as a whole. */
export async function removeRoots(names: string[], writer: StoreWriter, ledger: Ledger): Promise<void> {
  for (const name of names) {
    for (const source of [name, ...(await writer.sourcesUnder(`${name}/`))]) {
      if ((await writer.sourceStates([source])).size === 0) continue;
      await removeSource(source, writer, ledger);
      ledger.add({ filesRemoved: 1 });
    }
  }
}

/** Removes the documents of files below a root that its walk does not select any more: excluded, ignored, replaced. */
export async function removeUnselected(
  folders: { prefix: string }[],
  seen: SeenSources,
  writer: StoreWriter,
  ledger: Ledger,
): Promise<void> {
  for (const { prefix } of folders) {
    for (const source of await writer.sourcesUnder(prefix)) {
      if (seen.has(source)) continue;
      await removeSource(source, writer, ledger);
      ledger.add({ filesRemoved: 1 });
    }
  }
}

async function removeSource(source: string, writer: StoreWriter, ledger: Ledger): Promise<void> {
  const documents = await writer.documentsOf(source);
  await removeDocuments(documents, writer, ledger);
  await writer.forgetSource(source);
}

/** Removes documents by id, a bounded number to a commit. */
export async function removeDocuments(ids: string[], writer: StoreWriter, ledger: Ledger): Promise<number> {
  let removedChunks = 0;
  for (let at = 0; at < ids.length; at += DOCUMENTS_PER_COMMIT) {
    const removeIds = ids.slice(at, at + DOCUMENTS_PER_COMMIT);
    const result = await writer.commit({ documents: [], removeDocuments: removeIds, sources: [] });
    removedChunks += result.removedChunks;
    ledger.add({ documentsRemoved: removeIds.length });
  }
  return removedChunks;
}

/** Only a file that is certainly not there counts; one that cannot be reached may come back. */
async function vanished(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
