import type { LiveIndex, Snapshot } from './live-index.js';
import { hasParents, type Passport } from './model/passport.js';
import {
  type SearchedReader,
  type SearchOptions,
  type SearchResult,
  search,
  wantsRerank,
} from './retrieval/index.js';

/** Loading takes as long as the legs do, so both begin at once. A failure is told where the model is used. */
export async function warmModels(
  { models }: LiveIndex,
  query: unknown,
  options: SearchOptions,
): Promise<void> {
  const { rerank = 'auto' } = options ?? {};
  if (typeof query !== 'string' || rerank === false) return;
  if (wantsRerank(query, rerank, await models.lazyReranker())) models.warmReranker();
}

/** A snapshot of one index, or of several that are read as one. */
export type SearchedSnapshot = Omit<Snapshot, 'reader'> & { reader: SearchedReader };

/**
 * @param live gives the models and the segmenter; the reader may be of several indexes
 * @param passports of all indexes that the reader is of
 */
export async function searchSnapshot(
  live: LiveIndex,
  { reader, models, passport }: SearchedSnapshot,
  query: string,
  options: SearchOptions,
  passports: readonly Passport[] = [passport],
): Promise<SearchResult> {
  // Where children are indexed, parents answer.
  const byParents = passports.every(hasParents);
  return search({
    reader,
    embedder: models.lazyEmbedder(passport),
    reranker: options?.rerank === false ? undefined : await models.lazyReranker(),
    segment: (text) => live.segment(text),
    closed: live.stopSignal(undefined),
    query,
    options: byParents ? { ...options, collapse: options?.collapse ?? 'parent' } : options,
  });
}
