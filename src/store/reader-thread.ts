import { SluiceError } from '../errors.js';
import type {
  DocumentCount,
  DocumentEntry,
  Facets,
  LabelSet,
  LegResult,
  StoredChunk,
  StoreStats,
} from '../model/store.js';
import type { NativeKeywordReader } from '../native/contract.js';
import { FilterSnapshot } from './filter/snapshot.js';
import { NO_HITS } from './hits.js';
import { type DocumentHead, Hydrator } from './hydrate.js';
import { openKeywordReader, parsePayload } from './keywords.js';
import { type IndexLayout, indexLayout } from './layout.js';
import type { ResolvedStoreOptions } from './options.js';
import { type Connection, openForReading, readSetting } from './schema.js';
import { readStats } from './stats.js';
import { task } from './threads.js';
import { VectorLeg, type VectorQuery } from './vector-leg.js';

/** A reader's worker thread: owns a reading connection, the keyword reader, the graph and the tail. */
interface Reader {
  layout: IndexLayout;
  db: Connection;
  indexId: string;
  keywords: NativeKeywordReader | undefined;
  vectors: VectorLeg;
  filters: FilterSnapshot;
  hydrator: Hydrator;
  generation: number;
  maxLabel: number;
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
      db,
      indexId: readSetting<string>(db, 'indexId')!,
      keywords: undefined,
      vectors: new VectorLeg(db, layout.graph, dims, options),
      filters: new FilterSnapshot(db, layout.filters),
      hydrator: new Hydrator(db),
      generation: 0,
      maxLabel: 0,
    };
  },
);

/** Moves to the newest published generation. The caller lets no other call run meanwhile. */
export const refresh = task(async (): Promise<ReaderPosition> => {
  const state = current();
  const newest = () => readSetting<number>(state.db, 'generation')!;
  const published = readSetting<number>(state.db, 'publishedGeneration')!;
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
  await state.filters.moveTo(held.generation);
  state.generation = held.generation;
  state.maxLabel = held.maxLabel;
  const behind = held.generation < newest() ? 'unpublished' : undefined;
  return { generation: held.generation, behind, reason: 'the last commits were not published' };
});

/** Forgets an opened keyword index, so that the next refresh opens the one that has taken its place. */
export const reopenKeywords = task(async (): Promise<void> => {
  const state = current();
  const { keywords } = state;
  state.keywords = undefined;
  await keywords?.close();
});

export const select = task((filter: string): Promise<LabelSet> => {
  const { filters, maxLabel } = current();
  return filters.select(filter, maxLabel);
});

export const count = task((filter: string): Promise<DocumentCount> => current().filters.count(filter));

export const facets = task(
  ({ field, filter, limit }: { field: string; filter: string; limit: number }): Promise<Facets> =>
    current().filters.facets(field, filter, limit),
);

export const list = task(
  async ({ filter, after, limit }: { filter: string; after: string | null; limit: number }) => {
    const { filters, hydrator, generation } = current();
    const ids = await filters.list(filter, after, limit);
    return hydrator.entries(ids, generation) satisfies DocumentEntry[];
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

export const documentPages = task(({ key, from, limit }: { key: number; from: number; limit: number }) =>
  current().hydrator.pages(key, from, limit),
);

export const chunkRange = task(({ first, end }: { first: number; end: number }): StoredChunk[] =>
  current().hydrator.chunkRange(first, end),
);

export const stats = task((): StoreStats => {
  const { db, layout, generation, vectors, filters } = current();
  return readStats(db, layout, generation, vectors, filters);
});

export const close = task(async (): Promise<void> => {
  const state = reader;
  reader = undefined;
  await state?.keywords?.close();
  state?.db.close();
});
