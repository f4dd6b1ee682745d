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

/** Folders and files that are walked, and older roots inside the folders. */
type Walked = Pick<ResolvedSources, 'folders' | 'files' | 'nested'>;

/**
 * Removes the documents of files that a walk did not come by: because they are gone, or because it does not select them
 * any more (excluded, ignored, replaced). A path that was a file and is a folder now, or the other way round, loses what
 * it had as the other.
 * @param certain remove only what is certainly not there: the walk was not over, or not of everything
 */
export async function removeUnseen(
  { folders, files, nested }: Walked,
  seen: SeenSources,
  certain: boolean,
  writer: StoreWriter,
  ledger: Ledger,
): Promise<void> {
  const roots = new Map([...folders, ...files, ...nested.values()].map((root) => [root.name, root]));
  // Of a file that is walked only what lies below its path: it is there itself, whatever the walk selects.
  const ownStates = await writer.sourceStates([...folders, ...nested.values()].map(({ name }) => name));
  for (const root of roots.values()) {
    const isNested = nested.has(root.name);
    // A root that is a file, or that the walk did not come to, is only looked at.
    const look = certain || (isNested && !seen.entered(root.name));
    for await (const page of sourcesOf(root.name, ownStates.has(root.name), writer)) {
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
    const hasState = (await writer.sourceStates([name])).size > 0;
    for await (const page of sourcesOf(name, hasState, writer)) {
      for (const source of page) await removeSource(source, writer, ledger);
    }
  }
}

/** That of the root itself, where it is or was a file, and those below it. */
async function* sourcesOf(
  root: string,
  hasState: boolean,
  writer: StoreWriter,
): AsyncGenerator<string[], void, undefined> {
  if (hasState) yield [root];
  yield* sourcesUnder(`${root}/`, writer);
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
    return (await lstat(path)).isDirectory();
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
