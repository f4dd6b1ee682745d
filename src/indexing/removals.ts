import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreWriter } from '../model/store.js';
import { boundedMap } from './bounded-map.js';
import type { Ledger } from './ledger.js';
import type { SeenSources } from './seen-sources.js';
import type { ResolvedSources } from './sources.js';

const STATS_UNDER_WAY = 32;
const SOURCES_PER_PAGE = 1_000;
const DOCUMENTS_PER_COMMIT = 256;

/** Folders that are walked and older roots inside, and what the walk came by. */
type Walked = Pick<ResolvedSources, 'folders' | 'nested'>;

/**
 * Removes the documents of files that a walk did not come by: because they are gone, or because it does not select them
 * any more (excluded, ignored, replaced).
 * @param certain remove only what is certainly not there: the walk was not over, or not of everything
 */
export async function removeUnseen(
  { folders, nested }: Walked,
  seen: SeenSources,
  certain: boolean,
  writer: StoreWriter,
  ledger: Ledger,
): Promise<void> {
  const files = await writer.sourceStates([...nested.keys()]);
  const roots = new Map([...folders, ...nested.values()].map((root) => [root.name, root]));
  for (const root of roots.values()) {
    const isNested = nested.has(root.name);
    // A root that is a file, or that the walk did not come to, is only looked at.
    const look = certain || (isNested && !seen.entered(root.name));
    const pages = files.has(root.name) ? [[root.name]] : sourcesUnder(`${root.name}/`, writer);
    for await (const page of pages) {
      const unseen = page.filter((source) => !seen.has(source));
      const checks = boundedMap(unseen, STATS_UNDER_WAY, async (source) => ({
        source,
        gone: !look || (await vanished(join(root.path, source.slice(root.name.length)))),
      }));
      for await (const { source, gone } of checks) if (gone) await removeSource(source, writer, ledger);
    }
  }
}

/** Removes all documents of roots, files or folders, that are gone as a whole. */
export async function removeRoots(names: string[], writer: StoreWriter, ledger: Ledger): Promise<void> {
  for (const name of names) {
    if ((await writer.sourceStates([name])).size > 0) await removeSource(name, writer, ledger);
    for await (const page of sourcesUnder(`${name}/`, writer)) {
      for (const source of page) await removeSource(source, writer, ledger);
    }
  }
}

/** In pages, because a list of a million names would hold the main thread. */
async function* sourcesUnder(prefix: string, writer: StoreWriter): AsyncGenerator<string[], void, undefined> {
  for (let after = ''; ; ) {
    const page = await writer.sourcesUnder(prefix, { after, limit: SOURCES_PER_PAGE });
    yield page;
    if (page.length < SOURCES_PER_PAGE) return;
    after = page.at(-1)!;
  }
}

async function removeSource(source: string, writer: StoreWriter, ledger: Ledger): Promise<void> {
  const documents = await writer.documentsOf(source);
  await removeDocuments(documents, writer, ledger);
  await writer.forgetSource(source);
  ledger.add({ filesRemoved: 1 });
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
