import { HEADING_SEPARATOR } from '../model/chunk.js';
import type { BlockKindName, Metadata } from '../model/document.js';
import type { StoredChunk } from '../model/store.js';
import type { Candidate } from './fuse.js';

/** How a hit came to its place. All scores: higher is better. */
export interface HitScores {
  /** Rank (from 1, shared by equal scores) and BM25 in the keyword leg; null if that leg didn't find it. */
  readonly keywords: { readonly rank: number; readonly bm25: number } | null;
  /** Rank (from 1, shared by equal scores) and cosine similarity (-1 to 1) in the vector leg; null if that leg didn't find it. */
  readonly vectors: { readonly rank: number; readonly cosine: number } | null;
  /** Reciprocal rank fusion, at most the sum of the leg weights / 61. */
  readonly rrf: number;
  /** The first stage's score: standardised RRF, cosine and BM25, weighted; RRF where only one leg found anything. */
  readonly fused: number;
  /** The reranker's logit; null if it didn't read this hit. */
  readonly rerank: number | null;
  /** Weighted sum of standard scores; null if the hit wasn't in the reranked shortlist. */
  readonly blend: number | null;
}

/** A chunk in the answer, with all that is needed to show and to cite it. */
export interface Hit {
  /** From 1. */
  readonly rank: number;
  readonly chunkId: string;
  readonly documentId: string;
  readonly source: string;
  readonly title: string;
  readonly headingPath: string;
  /** The document's text from `start` to `end` (UTF-16 positions). */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** 1-based lines of the first and the last character. */
  readonly startLine: number;
  readonly endLine: number;
  /** 1-based page that it begins on; 0 where the source has no pages. */
  readonly page: number;
  /** The span of the document's text that it is a part of: its section, or its parent window; its own where there is none. */
  readonly parentStart: number;
  readonly parentEnd: number;
  /** With `collapse: 'parent'`: the chunk that was found, where text, span and lines are those of its parent. */
  readonly child?: { readonly start: number; readonly end: number; readonly text: string };
  readonly kind: BlockKindName;
  readonly metadata: Metadata;
  /** Which index it is of, where several were searched: the name or folder given there. */
  readonly index?: string;
  /**
   * What the hits are ordered by, never rising: `fused`, or the blend where the answer was reranked (both may be
   * negative). Comparable within one answer only.
   */
  readonly score: number;
  readonly scores: HitScores;
}

/**
 * Where a hit stands, for people: the title, then the headings; a title that is the first heading is said once, and
 * where there is neither, the name of the file has to do.
 */
export function hitTitle({
  title,
  headingPath,
  source,
}: Pick<Hit, 'title' | 'headingPath' | 'source'>): string {
  if (title === '' && headingPath === '') return source.slice(source.lastIndexOf('/') + 1);
  if (title === '' || headingPath === title || headingPath.startsWith(`${title}${HEADING_SEPARATOR}`))
    return headingPath;
  return headingPath === '' ? title : `${title}${HEADING_SEPARATOR}${headingPath}`;
}

/** A candidate with its chunk, on the way from fusion to the answer. */
export interface RankedChunk {
  readonly candidate: Candidate;
  readonly chunk: StoredChunk;
  readonly logit: number | null;
  readonly blend: number | null;
  readonly score: number;
}

/** A fused candidate before any reranking: its score is its RRF. */
export function rankedByFusion(candidate: Candidate, chunk: StoredChunk): RankedChunk {
  return { candidate, chunk, logit: null, blend: null, score: candidate.score };
}

/** @param parent what answers for the chunk, with the parent's span and text */
export function toHit(ranked: RankedChunk, rank: number, parent?: StoredChunk): Hit {
  const { label: _label, tokens: _tokens, ...shown } = parent ?? ranked.chunk;
  const { start, end, text } = ranked.chunk;
  const child = parent && { child: { start, end, text } };
  return { rank, ...shown, ...child, score: ranked.score, scores: toScores(ranked) };
}

function toScores({ candidate, logit, blend }: RankedChunk): HitScores {
  const { keywords, vectors } = candidate.places;
  return {
    keywords: keywords && { rank: keywords.rank, bm25: keywords.score },
    vectors: vectors && { rank: vectors.rank, cosine: vectors.score },
    rrf: candidate.rrf,
    fused: candidate.score,
    rerank: logit,
    blend,
  };
}
