import { existsSync } from 'node:fs';
import { SluiceError } from '../errors.js';
import type {
  DocumentCounts,
  DocumentEntry,
  Facets,
  LabelSet,
  LegResult,
  StoredChunk,
  StoreStats,
} from '../model/store.js';
import type { NativeFileLock, NativeKeywordReader } from '../native/contract.js';
import { isMarked } from './branch-marks.js';
import { FilterSnapshot } from './filter/snapshot.js';
import { holdGeneration } from './held-generations.js';
import { NO_HITS } from './hits.js';
import { type DocumentHead, Hydrator } from './hydrate.js';
import { settleDatabase } from './journal-mode.js';
import { heldBy, type KeywordPayload } from './keyword-payload.js';
import { openKeywordReader } from './keywords.js';
import { type IndexLayout, indexLayout } from './layout.js';
import { type IndexIdentity, OpenedIndex } from './opened-index.js';
import type { ResolvedStoreOptions } from './options.js';
import { checkNotPurged } from './purge.js';
import { type Connection, openForReading, readSetting } from './schema.js';
import { problemsOf, readStats } from './stats.js';
import { type Task, task } from './threads.js';
import { troubleRecord, workOn } from './trouble.js';
import { VectorLeg, type VectorQuery } from './vector-leg.js';
import { vectorsEpoch } from './vectors-epoch.js';

/** A reader's worker thread: owns a reading connection, the keyword reader, the graph and the tail. */
interface Reader {
  layout: IndexLayout;
  readonly: boolean;
  db: Connection;
  indexId: string;
  keywords: NativeKeywordReader | undefined;
  vectors: VectorLeg;
  filters: FilterSnapshot;
  hydrator: Hydrator;
  generation: number;
  maxLabel: number;
  /** Keeps the rows of this generation from being purged. */
  held: NativeFileLock | undefined;
  /** What this reader is of. */
  index: OpenedIndex;
  /** What the database said when the last refresh began. */
  seen: { dataVersion: number; published: number };
}

/** Where a reader stands. */
export interface ReaderPosition {
  generation: number;
  /** What keeps the reader from the newest commit; undefined where it is there. */
  behind: 'unpublished' | 'damaged' | undefined;
  reason: string;
}

/** What a refresh tells its caller. */
export interface RefreshedPosition extends ReaderPosition {
  /** What was found damaged and how it was made good, in sentences. */
  problems: string[];
}

export interface ReaderSetup {
  folder: string;
  dims: number;
  identity: IndexIdentity;
  options: ResolvedStoreOptions;
}

let reader: Reader | undefined;

/** A task that reads rows of the snapshot. Rows that were purged under it would be missing without a word. */
function reading<A, R>(run: (argument: A) => R | Promise<R>): Task<A, R> {
  return task(async (argument) => {
    const value = await run(argument);
    const { db, generation } = current();
    // After reading: a purge writes this in the transaction that deletes.
    checkNotPurged(db, generation);
    return value;
  });
}

function current(): Reader {
  if (!reader) throw new SluiceError('SLUICE_INDEX_CLOSED', 'the index reader is closed');
  return reader;
}

export const open = task(({ folder, dims, identity, options }: ReaderSetup): void => {
  const layout = indexLayout(folder);
  workOn(layout.database);
  const index = new OpenedIndex(layout.database, openForReading, identity);
  const { db } = index;
  reader = {
    layout,
    readonly: options.readonly,
    db,
    indexId: readSetting<string>(db, 'indexId')!,
    keywords: undefined,
    vectors: new VectorLeg(db, layout.graph, dims, options),
    filters: new FilterSnapshot(db, layout.filters),
    hydrator: new Hydrator(db),
    generation: 0,
    maxLabel: 0,
    held: undefined,
    index,
    seen: { dataVersion: -1, published: -1 },
  };
});

/** Moves to the newest published generation. The caller lets no other call run meanwhile. */
export const refresh = task(async (): Promise<RefreshedPosition> => {
  const state = current();
  const position = await moveToNewest(state);
  // A rebuild of long ago says nothing about the answers of now; stats remember it.
  const problems = problemsOf(state.db, state.vectors, state.filters, state.generation);
  return { ...position, problems };
});

async function moveToNewest(state: Reader): Promise<ReaderPosition> {
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
}

/** What the keyword index holds now, or why there is nothing to move to. */
async function newestPublished(state: Reader): Promise<KeywordPayload | ReaderPosition> {
  const newest = () => readSetting<number>(state.db, 'generation')!;
  state.index.check();
  state.seen = lookAt(state.db);
  const { published } = state.seen;
  let held: KeywordPayload | undefined;
  try {
    if (state.keywords) await state.keywords.refresh();
    else state.keywords = openKeywordReader(state.layout.keywords);
    held = heldBy(state.keywords, state.indexId);
  } catch (error) {
    if (troubleRecord(error).code.startsWith('SLUICE_DISK_')) throw error;
    return { generation: state.generation, behind: 'damaged', reason: (error as Error).message };
  }
  if (held && isMarked(state.db, 'keywords', held.generation, held.mark)) return held;
  const nothing = (state.keywords?.payload ?? '') === '';
  if (nothing && published === 0) {
    const behind = newest() > 0 ? 'unpublished' : undefined;
    return { generation: 0, behind, reason: 'nothing was published' };
  }
  const reason = nothing ? 'it is missing' : 'it does not fit the database';
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
    await state.filters.moveTo(generation);
  } catch (error) {
    if (lock !== state.held) lock?.release();
    throw error;
  }
  Object.assign(state, { generation, maxLabel, held: lock });
  previous?.release();
}

/**
 * Whether a refresh could find something new. SQLite counts what other connections commit; most of a writer's commits
 * are not published yet, and need no refresh.
 */
export const isStale = task((): boolean => {
  const { db, seen, index } = current();
  if (index.isReplaced) return true;
  if (dataVersion(db) === seen.dataVersion) return false;
  const now = lookAt(db);
  if (now.published !== seen.published || vectorsEpoch(db) !== index.epoch) return true;
  seen.dataVersion = now.dataVersion;
  return false;
});

/** In this order: what is committed in between is noticed the next time. */
function lookAt(db: Connection): Reader['seen'] {
  return { dataVersion: dataVersion(db), published: readSetting<number>(db, 'publishedGeneration')! };
}

function dataVersion(db: Connection): number {
  return db.pragma('data_version', { simple: true }) as number;
}

/** Forgets an opened keyword index, so that the next refresh opens the one that has taken its place. */
export const reopenKeywords = task(async (): Promise<void> => {
  const state = current();
  const { keywords } = state;
  state.keywords = undefined;
  await keywords?.close();
});

export const select = reading((filter: string): Promise<LabelSet> => {
  const { filters, maxLabel } = current();
  return filters.select(filter, maxLabel);
});

export const count = reading((filter: string): Promise<DocumentCounts> => current().filters.count(filter));

export const facets = reading(
  ({ field, filter, limit }: { field: string; filter: string; limit: number }): Promise<Facets> =>
    current().filters.facets(field, filter, limit),
);

export const list = reading(
  async ({ filter, after, limit }: { filter: string; after: string | null; limit: number }) => {
    const { filters, hydrator, generation } = current();
    const ids = await filters.list(filter, after, limit);
    const entries: DocumentEntry[] = hydrator.entries(ids, generation);
    // Fewer entries than ids are no end: where the next page begins is told by the ids alone.
    return { entries, next: ids.length < limit ? undefined : ids.at(-1) };
  },
);

export const searchKeywords = task(
  async ({ query, k, bits }: { query: string; k: number; bits: Uint8Array }): Promise<LegResult> => {
    const { keywords } = current();
    if (!keywords || k === 0) return NO_HITS;
    const { labels, scores } = await keywords.search(query, k, bits);
    return { labels, scores };
  },
);

export const searchVectors = reading(async (query: VectorQuery): Promise<LegResult> => {
  const { vectors, index } = current();
  try {
    return await vectors.search(query);
  } finally {
    // A shortlist is scored again by the rows of the database: those of another model may have been among them.
    index.check();
  }
});

export const chunks = reading((labels: Uint32Array): StoredChunk[] => {
  const { hydrator, generation } = current();
  return hydrator.chunks(labels, generation);
});

export const parents = reading((labels: Uint32Array): StoredChunk[] => {
  const { hydrator, generation } = current();
  return hydrator.parents(labels, generation);
});

export const has = reading((ids: string[]): boolean[] => {
  const { hydrator, generation } = current();
  return hydrator.has(ids, generation);
});

export const documentHead = reading((id: string): DocumentHead | undefined => {
  const { hydrator, generation } = current();
  return hydrator.head(id, generation);
});

export const documentPages = reading(({ body, from, limit }: { body: number; from: number; limit: number }) =>
  current().hydrator.pages(body, from, limit),
);

export const chunkRange = reading((range: { key: number; first: number; end: number }): StoredChunk[] =>
  current().hydrator.chunkRange(range),
);

export const stats = reading((): StoreStats => {
  const { db, layout, generation, vectors, filters } = current();
  return readStats(db, layout, generation, vectors, filters);
});

export const close = task(async (): Promise<void> => {
  const state = reader;
  reader = undefined;
  if (!state) return;
  await state.keywords?.close();
  const { isReplaced } = state.index;
  state.db.close();
  state.held?.release();
  if (!state.readonly && !isReplaced) settle(state.layout);
});

/** The writer that was closed while this reader was open has left it to the last one. */
function settle(layout: IndexLayout): void {
  if (!existsSync(`${layout.database}-wal`)) return;
  try {
    settleDatabase(layout.database);
  } catch {
    // Nothing may be written here: then it stays as it is.
  }
}
