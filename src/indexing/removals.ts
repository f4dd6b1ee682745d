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

/**
 * Removes the documents of files that vanished below the folders that are walked, and from older roots inside them. Runs
 * before anything is added, so that a moved JSONL file does not find its own ids taken.
 */
export async function removeVanished(
  { folders, nested }: Pick<ResolvedSources, 'folders' | 'nested'>,
  writer: StoreWriter,
  ledger: Ledger,
): Promise<void> {
  const files = await writer.sourceStates([...nested.keys()]);
  const gone = async (source: string, path: string) => ({ source, gone: await vanished(path) });
  const checks = boundedMap(files.keys(), STATS_UNDER_WAY, (name) => gone(name, nested.get(name)!.path));
  for await (const check of checks) if (check.gone) await removeSource(check.source, writer, ledger);
  for (const { name, path } of [...folders, ...nested.values()]) {
    if (files.has(name)) continue;
    const sources = sourcesUnder(`${name}/`, writer);
    const below = boundedMap(sources, STATS_UNDER_WAY, (source) =>
      gone(source, join(path, source.slice(name.length + 1))),
    );
    for await (const check of below) if (check.gone) await removeSource(check.source, writer, ledger);
  }
}

/** Removes all documents of roots, files or folders, that are gone as a whole. */
export async function removeRoots(names: string[], writer: StoreWriter, ledger: Ledger): Promise<void> {
  for (const name of names) {
    if ((await writer.sourceStates([name])).size > 0) await removeSource(name, writer, ledger);
    for await (const source of sourcesUnder(`${name}/`, writer)) await removeSource(source, writer, ledger);
  }
}

/**
 * Removes the documents of files that a walk of their folder does not select any more: excluded, ignored, replaced. In
 * older roots inside, only where the walk came there.
 */
export async function removeUnselected(
  { folders, nested }: Pick<ResolvedSources, 'folders' | 'nested'>,
  seen: SeenSources,
  writer: StoreWriter,
  ledger: Ledger,
): Promise<void> {
  const entered = [...nested.keys()].filter((name) => seen.entered(name));
  for (const name of [...folders.map((folder) => folder.name), ...entered]) {
    for await (const source of sourcesUnder(`${name}/`, writer)) {
      if (!seen.has(source)) await removeSource(source, writer, ledger);
    }
  }
}

/** In pages, because a list of a million names would hold the main thread. */
async function* sourcesUnder(prefix: string, writer: StoreWriter): AsyncGenerator<string, void, undefined> {
  for (let after = ''; ; ) {
    const page = await writer.sourcesUnder(prefix, { after, limit: SOURCES_PER_PAGE });
    yield* page;
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
