import { existsSync } from 'node:fs';
import { SluiceError } from '../errors.js';
import type { LabelSet, LegResult, StoredChunk, StoreStats } from '../model/store.js';
import type { NativeFileLock, NativeKeywordReader } from '../native/contract.js';
import type { FilterNode } from './filter/parse.js';
import { holdGeneration } from './held-generations.js';
import { NO_HITS } from './hits.js';
import { type DocumentHead, Hydrator } from './hydrate.js';
import { type KeywordPayload, openKeywordReader, parsePayload } from './keywords.js';
import { type IndexLayout, indexLayout } from './layout.js';
import { tryWriterLock } from './lock.js';
import type { ResolvedStoreOptions } from './options.js';
import { type Connection, openForReading, readSetting, settleDatabase } from './schema.js';
import { Selector } from './selection.js';
import { readStats } from './stats.js';
import { task } from './threads.js';
import { troubleRecord } from './trouble.js';
import { VectorLeg, type VectorQuery } from './vector-leg.js';

/** A reader's worker thread: owns a reading connection, the keyword reader, the graph and the tail. */
interface Reader {
  layout: IndexLayout;
  readonly: boolean;
  db: Connection;
  indexId: string;
  keywords: NativeKeywordReader | undefined;
  vectors: VectorLeg;
  selector: Selector;
  hydrator: Hydrator;
  generation: number;
  maxLabel: number;
  /** Keeps the rows of this generation from being purged. */
  held: NativeFileLock | undefined;
}

/** Where a reader stands. */
export interface ReaderPosition {
  generation: number;
  /** What keeps the reader from the newest commit; undefined where it is there. */
  behind: 'unpublished' | 'damaged' | undefined;
  reason: string;
}

let reader: Reader | undefined;

function current(): Reader {
  if (!reader) throw new SluiceError('SLUICE_INDEX_CLOSED', 'the index reader is closed');
  return reader;
}

export const open = task(
  ({ folder, dims, options }: { folder: string; dims: number; options: ResolvedStoreOptions }): void => {
    const layout = indexLayout(folder);
    const db = openForReading(layout.database);
    reader = {
      layout,
      readonly: options.readonly,
      db,
      indexId: readSetting<string>(db, 'indexId')!,
      keywords: undefined,
      vectors: new VectorLeg(db, layout.graph, dims, options),
      selector: new Selector(db),
      hydrator: new Hydrator(db),
      generation: 0,
      maxLabel: 0,
      held: undefined,
    };
  },
);

/** Moves to the newest published generation. The caller lets no other call run meanwhile. */
export const refresh = task(async (): Promise<ReaderPosition> => {
  const state = current();
  for (let before = -1; ; ) {
    const found = await newestPublished(state);
    if ('behind' in found) return found;
    const { generation, maxLabel } = found;
    const lock =
      generation === state.generation && state.held
        ? state.held
        : holdGeneration(state.layout.readers, generation);
    if (!lock && generation !== before) {
      // Taken back before it could be held, so there is a newer one; if not, it never was announced.
      before = generation;
      continue;
    }
    await moveTo(state, generation, maxLabel, lock);
    const behind = generation < readSetting<number>(state.db, 'generation')! ? 'unpublished' : undefined;
    return { generation, behind, reason: 'the last commits were not published' };
  }
});

/** What the keyword index holds now, or why there is nothing to move to. */
async function newestPublished(state: Reader): Promise<KeywordPayload | ReaderPosition> {
  const newest = () => readSetting<number>(state.db, 'generation')!;
  const published = readSetting<number>(state.db, 'publishedGeneration')!;
  let payload = '';
  try {
    if (state.keywords) await state.keywords.refresh();
    else state.keywords = openKeywordReader(state.layout.keywords);
    payload = state.keywords?.payload ?? '';
  } catch (error) {
    if (troubleRecord(error).code.startsWith('SLUICE_DISK_')) throw error;
    return { generation: state.generation, behind: 'damaged', reason: (error as Error).message };
  }
  const held = parsePayload(payload, state.indexId);
  if (held && held.generation <= newest()) return held;
  if (payload === '' && published === 0) {
    const behind = newest() > 0 ? 'unpublished' : undefined;
    return { generation: 0, behind, reason: 'nothing was published' };
  }
  const reason = payload === '' ? 'it is missing' : 'it does not fit the database';
  return { generation: state.generation, behind: 'damaged', reason };
}

async function moveTo(
  state: Reader,
  generation: number,
  maxLabel: number,
  lock: NativeFileLock | undefined,
): Promise<void> {
  const previous = state.held === lock ? undefined : state.held;
  try {
    await state.vectors.moveTo(generation, maxLabel);
  } catch (error) {
    if (lock !== state.held) lock?.release();
    throw error;
  }
  Object.assign(state, { generation, maxLabel, held: lock });
  previous?.release();
}

/** Forgets an opened keyword index, so that the next refresh opens the one that has taken its place. */
export const reopenKeywords = task(async (): Promise<void> => {
  const state = current();
  const { keywords } = state;
  state.keywords = undefined;
  await keywords?.close();
});

export const select = task((filter: FilterNode | undefined): LabelSet => {
  const { selector, generation, maxLabel } = current();
  return selector.select(filter, generation, maxLabel);
});

export const searchKeywords = task(
  async ({ query, k, bits }: { query: string; k: number; bits: Uint8Array }): Promise<LegResult> => {
    const { keywords } = current();
    if (!keywords || k === 0) return NO_HITS;
    const { labels, scores } = await keywords.search(query, k, bits);
    return { labels, scores };
  },
);

export const searchVectors = task(
  (query: VectorQuery): Promise<LegResult> => current().vectors.search(query),
);

export const chunks = task((labels: Uint32Array): StoredChunk[] => {
  const { hydrator, generation } = current();
  return hydrator.chunks(labels, generation);
});

export const has = task((ids: string[]): boolean[] => {
  const { hydrator, generation } = current();
  return hydrator.has(ids, generation);
});

export const documentHead = task((id: string): DocumentHead | undefined => {
  const { hydrator, generation } = current();
  return hydrator.head(id, generation);
});

export const documentPages = task(({ body, from, limit }: { body: number; from: number; limit: number }) =>
  current().hydrator.pages(body, from, limit),
);

export const chunkRange = task((range: { key: number; first: number; end: number }): StoredChunk[] =>
  current().hydrator.chunkRange(range),
);

export const stats = task((): StoreStats => {
  const { db, layout, generation, vectors } = current();
  return readStats(db, layout, generation, vectors);
});

export const close = task(async (): Promise<void> => {
  const state = reader;
  reader = undefined;
  if (!state) return;
  await state.keywords?.close();
  state.db.close();
  state.held?.release();
  if (!state.readonly) settle(state.layout);
});

/** The writer that was closed while this reader was open has left it to the last one. */
function settle(layout: IndexLayout): void {
  if (!existsSync(`${layout.database}-wal`)) return;
  try {
    const lock = tryWriterLock(layout);
    if (!lock) return;
    settleDatabase(layout.database);
    lock.release();
  } catch {
    // Nothing may be written here: then it stays as it is.
  }
}
