import { type ErrorRecord, SluiceError, throwIfAborted, toErrorRecord } from '../errors.js';
import type { Reranker } from '../model/reranker.js';
import { documentKey, type Label, type StoredChunk } from '../model/store.js';
import type { Stopwatch } from '../model/timings.js';
import { dedupeSteps, type Selection, type SetAside } from './dedupe.js';
import { type Candidate, isTied } from './fuse.js';
import { type RankedChunk, rankedByFusion } from './hit.js';
import { readsScript } from './leg-fitness.js';
import type { ResolvedSearchOptions } from './options.js';
import { isQuestion } from './question.js';
import { continueBehind, rerankShortlist } from './rerank.js';
import type { Shelf } from './shelf.js';
import { eachStep, inPieces, mapSteps, type Steps, sortSteps } from './steps.js';

export interface RankContext {
  readonly query: string;
  readonly options: ResolvedSearchOptions;
  readonly reranker: Reranker | undefined;
  readonly watch: Stopwatch;
  readonly shelf: Shelf;
}

/** The answer's chunks, and how they were picked. */
export interface Ranking {
  /** At most k, best first. */
  readonly chosen: readonly RankedChunk[];
  /** All that were looked at, in the order that dedupe saw. */
  readonly ranked: readonly RankedChunk[];
  readonly setAside: readonly SetAside[];
  readonly reranked: boolean;
  readonly rerankError: ErrorRecord | undefined;
}

/** Whether the reranker is to read this query's shortlist; see `SearchOptions.rerank`. */
export function wantsRerank(
  query: string,
  rerank: 'auto' | boolean,
  reranker: Reranker | undefined,
): boolean {
  if (rerank !== 'auto' || reranker === undefined) return rerank === true;
  return readsScript(query, reranker.fingerprint) && isQuestion(query);
}

/**
 * Fetches, reranks and dedupes fused candidates. Fetches a first page, and more from below only while passages passed
 * over leave fewer than k: the text of a candidate that nobody looks at is never read.
 */
export async function rankCandidates(
  candidates: readonly Candidate[],
  context: RankContext,
): Promise<Ranking> {
  const { options, query, reranker, watch } = context;
  const rerank = wantsRerank(query, options.rerank, reranker) && reranker !== undefined;
  // Twice k, since dedupe mostly passes over less than half; everything where everything is to be explained.
  const first = options.explain ? candidates.length : Math.max(rerank ? options.shortlist : 0, 2 * options.k);
  let next = endOfTie(candidates, first);
  const page = await fetchPage(context, candidates.slice(0, next));
  const head = rerank
    ? await tryRerank(context, reranker, page.slice(0, options.shortlist))
    : { shortlist: null, error: undefined };
  const place = (rows: readonly RankedChunk[]) =>
    head.shortlist === null ? rows : continueBehind(head.shortlist, rows);
  const ranked = [...(head.shortlist ?? []), ...place(page.slice(head.shortlist?.length ?? 0))];
  for (;;) {
    throwIfAborted(options.signal);
    const { rows, setAside, distinct } = await watch.time('dedupe', () =>
      inPieces(dedupeChunks(ranked, options)),
    );
    if (distinct >= options.k || next >= candidates.length) {
      const chosen = rows.map((row) => ranked[row]!);
      return { chosen, ranked, setAside, reranked: head.shortlist !== null, rerankError: head.error };
    }
    // Doubling keeps the number of dedupe rounds logarithmic.
    const more = candidates.slice(next, endOfTie(candidates, next * 2));
    next += more.length;
    ranked.push(...place(await fetchPage(context, more)));
  }
}

function* dedupeChunks(ranked: readonly RankedChunk[], options: ResolvedSearchOptions): Steps<Selection> {
  const spans = yield* mapSteps(ranked, ({ chunk }) => ({
    documentId: documentKey(chunk),
    start: options.collapse === 'parent' ? chunk.parentStart : chunk.start,
    end: options.collapse === 'parent' ? chunk.parentEnd : chunk.end,
  }));
  return yield* dedupeSteps(spans, {
    k: options.k,
    overlapShare: options.collapse === 'overlap' ? options.overlapShare : Number.POSITIVE_INFINITY,
    perDocument: options.perDocument,
  });
}

async function fetchPage(context: RankContext, candidates: readonly Candidate[]): Promise<RankedChunk[]> {
  const chunks = await context.shelf.fetch(candidates.map(({ label }) => label));
  return inPieces(settleTies(candidates, chunks));
}

/** The first position from `at` on that no tie spans: pages end there, so that ties can be settled page by page. */
function endOfTie(candidates: readonly Candidate[], at: number): number {
  let end = Math.min(at, candidates.length);
  while (end > 0 && end < candidates.length && isTied(candidates[end - 1]!, candidates[end]!)) end++;
  return end;
}

/**
 * Orders tied chunks by document id and position instead of by label: labels tell in which order documents were
 * indexed, and that may not decide an answer.
 */
function* settleTies(
  candidates: readonly Candidate[],
  chunks: ReadonlyMap<Label, StoredChunk>,
): Steps<RankedChunk[]> {
  const groups: RankedChunk[][] = [];
  yield* eachStep(candidates, (candidate) => {
    const chunk = chunks.get(candidate.label);
    if (chunk === undefined) return;
    const one = rankedByFusion(candidate, chunk);
    const group = groups.at(-1);
    if (group !== undefined && isTied(group[0]!.candidate, candidate)) group.push(one);
    else groups.push([one]);
  });
  const settled: RankedChunk[] = [];
  for (const group of groups) {
    const sorted = yield* sortSteps(group, (a, b) => comparePlaces(a.chunk, b.chunk));
    for (const one of sorted) settled.push(one);
  }
  return settled;
}

/** By code units, not by locale: the same on every machine. */
function comparePlaces(a: StoredChunk, b: StoredChunk): number {
  if (a.documentId !== b.documentId) return a.documentId < b.documentId ? -1 : 1;
  // Of several indexes, in the order in which they were named: that of their labels.
  if (a.index !== b.index) return a.label - b.label;
  return a.start - b.start || a.end - b.end;
}

/** The shortlist in its new order; null, and why, where the reranker failed and nobody had asked for it by name. */
async function tryRerank(
  { query, options, watch }: RankContext,
  reranker: Reranker,
  shortlist: readonly RankedChunk[],
): Promise<{ shortlist: readonly RankedChunk[] | null; error: ErrorRecord | undefined }> {
  if (shortlist.length === 0) return { shortlist: null, error: undefined };
  throwIfAborted(options.signal);
  try {
    const reranked = await watch.time('rerank', () =>
      rerankShortlist(reranker, query, shortlist, options.blend, options.signal),
    );
    return { shortlist: reranked, error: undefined };
  } catch (error) {
    throwIfAborted(options.signal);
    const aborted = SluiceError.is(error) && error.code === 'SLUICE_ABORTED';
    if (aborted || options.rerank === true) throw error;
    return { shortlist: null, error: toErrorRecord(error, 'SLUICE_MODEL_FAILED') };
  }
}
