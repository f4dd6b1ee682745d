import { SluiceError } from '../errors.js';
import type {
  DocumentCounts,
  DocumentPage,
  FacetValue,
  LabelSet,
  LegResult,
  StoredChunk,
  StoreStats,
} from '../model/store.js';
import type { NativeKeywordReader } from '../native/contract.js';
import type { FilterNode } from './filter/parse.js';
import { NO_HITS } from './hits.js';
import { type DocumentHead, Hydrator } from './hydrate.js';
import { openKeywordReader, parsePayload } from './keywords.js';
import { type IndexLayout, indexLayout } from './layout.js';
import type { ResolvedStoreOptions } from './options.js';
import { DocumentLists } from './reader-lists.js';
import { type Connection, openForReading, readSetting } from './schema.js';
import { Selector } from './selection.js';
import { readStats } from './stats.js';
import { task } from './threads.js';
import { VectorLeg, type VectorQuery } from './vector-leg.js';
import { refuseOtherEpoch, vectorsEpoch } from './vectors-epoch.js';

/** A reader's worker thread: owns a reading connection, the keyword reader, the graph and the tail. */
interface Reader {
  layout: IndexLayout;
  db: Connection;
  indexId: string;
  keywords: NativeKeywordReader | undefined;
  vectors: VectorLeg;
  selector: Selector;
  hydrator: Hydrator;
  lists: DocumentLists;
  generation: number;
  maxLabel: number;
  /** Which making of the vectors this reader is of. */
  epoch: number;
  /** What the database said when the last refresh began. */
  seen: { dataVersion: number; published: number };
}

export interface ListQuery {
  filter: FilterNode | undefined;
  after: string | undefined;
  limit: number;
}

export interface FacetQuery {
  field: string;
  filter: FilterNode | undefined;
  limit: number;
}

/** Where a reader stands. */
export interface ReaderPosition {
  generation: number;
  /** What keeps the reader from the newest commit; undefined where it is there. */
  behind: 'unpublished' | 'damaged' | undefined;
  reason: string;
}

export interface ReaderSetup {
  folder: string;
  dims: number;
  epoch: number;
  options: ResolvedStoreOptions;
}

let reader: Reader | undefined;

function current(): Reader {
  if (!reader) throw new SluiceError('SLUICE_INDEX_CLOSED', 'the index reader is closed');
  return reader;
}

export const open = task(({ folder, dims, epoch, options }: ReaderSetup): void => {
  const layout = indexLayout(folder);
  const db = openForReading(layout.database);
  refuseOtherEpoch(db, epoch);
  reader = {
    layout,
    db,
    indexId: readSetting<string>(db, 'indexId')!,
    keywords: undefined,
    vectors: new VectorLeg(db, layout.graph, dims, options),
    selector: new Selector(db),
    hydrator: new Hydrator(db),
    lists: new DocumentLists(db),
    generation: 0,
    maxLabel: 0,
    epoch,
    seen: { dataVersion: -1, published: -1 },
  };
});

/** Moves to the newest published generation. The caller lets no other call run meanwhile. */
export const refresh = task(async (): Promise<ReaderPosition> => {
  const state = current();
  const newest = () => readSetting<number>(state.db, 'generation')!;
  refuseOtherEpoch(state.db, state.epoch);
  state.seen = lookAt(state.db);
  const { published } = state.seen;
  let payload = '';
  try {
    if (state.keywords) await state.keywords.refresh();
    else state.keywords = openKeywordReader(state.layout.keywords);
    payload = state.keywords?.payload ?? '';
  } catch (error) {
    return { generation: state.generation, behind: 'damaged', reason: (error as Error).message };
  }
  const held = parsePayload(payload, state.indexId);
  if (!held || held.generation > newest()) {
    if (payload === '' && published === 0) {
      return {
        generation: 0,
        behind: newest() > 0 ? 'unpublished' : undefined,
        reason: 'nothing was published',
      };
    }
    const reason = payload === '' ? 'it is missing' : 'it does not fit the database';
    return { generation: state.generation, behind: 'damaged', reason };
  }
  await state.vectors.moveTo(held.generation, held.maxLabel);
  state.generation = held.generation;
  state.maxLabel = held.maxLabel;
  const behind = held.generation < newest() ? 'unpublished' : undefined;
  return { generation: held.generation, behind, reason: 'the last commits were not published' };
});

/**
 * Whether a refresh could find something new. SQLite counts what other connections commit; most of a writer's commits
 * are not published yet, and need no refresh.
 */
export const isStale = task((): boolean => {
  const { db, seen, epoch } = current();
  if (dataVersion(db) === seen.dataVersion) return false;
  const now = lookAt(db);
  if (now.published !== seen.published || vectorsEpoch(db) !== epoch) return true;
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

export const searchVectors = task(async (query: VectorQuery): Promise<LegResult> => {
  const { vectors, db, epoch } = current();
  try {
    return await vectors.search(query);
  } finally {
    // Narrow filters are answered from the database: rows of another model may have been among them.
    refuseOtherEpoch(db, epoch);
  }
});

export const chunks = task((labels: Uint32Array): StoredChunk[] => {
  const { hydrator, generation } = current();
  return hydrator.chunks(labels, generation);
});

export const has = task((ids: string[]): boolean[] => {
  const { hydrator, generation } = current();
  return hydrator.has(ids, generation);
});

export const count = task((filter: FilterNode | undefined): DocumentCounts => {
  const { lists, generation } = current();
  return lists.count(filter, generation);
});

export const list = task(({ filter, after, limit }: ListQuery): DocumentPage => {
  const { lists, generation } = current();
  return lists.list(filter, after, limit, generation);
});

export const facets = task(({ field, filter, limit }: FacetQuery): FacetValue[] => {
  const { lists, generation } = current();
  return lists.facets(field, filter, limit, generation);
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
  await state?.keywords?.close();
  state?.db.close();
});
