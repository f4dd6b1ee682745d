import type { Filter } from '../model/filter.js';

/** One way of finding candidates. */
export type LegName = 'keywords' | 'vectors';

/**
 * What becomes of several chunks of one document among the candidates.
 *  - 'none': every chunk is a hit of its own;
 *  - 'overlap': spans that share at least `overlapShare` of the shorter one are one passage: the better one stays, the
 *    others come back only where fewer than k hits would be left;
 *  - 'document': one hit a document, its best chunk, and legs are fused by document: each leg counts a document once,
 *    at its best rank, so that long documents win nothing by being long;
 *  - 'parent': likewise one hit a parent, which answers with the parent's text and says in `child` what was found: for
 *    indexes that were cut in parents and children. Elsewhere a parent is the section, however long that is.
 */
export type Collapse = 'none' | 'overlap' | 'document' | 'parent';

/** What a caller may set; everything has a default in DEFAULT_SEARCH_OPTIONS. Unknown names are refused. */
export interface SearchOptions {
  /** Hits wanted, 0 or more. Default 5. */
  k?: number | undefined;
  /** Which chunks may be hits at all. Default: all. */
  filter?: Filter | undefined;
  /**
   * The query's vector, where you have it already: of the index's model, with as many dimensions. Then nothing is
   * embedded, and the model is not even loaded.
   */
  vector?: Float32Array | undefined;
  /**
   * Which legs run; both by default. Naming a leg `true` asks for it: its failure is then thrown, where otherwise the
   * search goes on with the other leg and reports it. With both on, a leg unfit for the query gets weight 0.
   */
  legs?: { keywords?: boolean | undefined; vectors?: boolean | undefined } | undefined;
  /** Chunks asked of each leg; at least k are asked in any case. Default 100. */
  candidates?: number | undefined;
  /**
   * How many candidates the reranker reads; what is behind keeps its fused order. Default 20, or k where that is more.
   */
  shortlist?: number | undefined;
  /**
   * 'auto' (default): only when a reranker is there, reads the query's script, and the query is a question (see
   * `isQuestion`): the first reranker helps questions and harms claims and topics. True: always, and its failure is
   * thrown. False: never.
   */
  rerank?: 'auto' | boolean | undefined;
  /** Weights of the legs in reciprocal rank fusion, 0 or more; 0 turns a leg off. Default 1 and 1. */
  legWeights?: { keywords?: number | undefined; vectors?: number | undefined } | undefined;
  /**
   * Weights of the standardised signals, 0 or more. Default 0.7, 0.5, 0.2, and after reranking 0.5 for the logit.
   * With cosine and bm25 at 0 the first stage is reciprocal rank fusion alone.
   */
  blend?:
    | {
        rrf?: number | undefined;
        cosine?: number | undefined;
        bm25?: number | undefined;
        logit?: number | undefined;
      }
    | undefined;
  /** Default 'overlap', and 'parent' where the index was cut in parents and children. */
  collapse?: Collapse | undefined;
  /**
   * Share of the shorter span, over 0 and up to 1, from which two spans of a document are one passage. Default 0.3:
   * twice the ordinary overlap of neighbouring chunks (15%), which are different passages.
   */
  overlapShare?: number | undefined;
  /** Most hits of one document, 1 or more; exceeded only where fewer than k hits would be left. Default: no cap. */
  perDocument?: number | undefined;
  /** Breadth of the graph walk, 1 or more. Default: the store's own. */
  ef?: number | undefined;
  /** Adds the trace of all stages to the result; fetches every candidate, so it costs time. Default false. */
  explain?: boolean | undefined;
  /** Looked at between stages and handed to the models. */
  signal?: AbortSignal | undefined;
}

export interface BlendWeights {
  readonly rrf: number;
  readonly cosine: number;
  readonly bm25: number;
  readonly logit: number;
}

/** Options with every default filled in. */
export interface ResolvedSearchOptions {
  readonly k: number;
  readonly filter: Filter | undefined;
  readonly vector: Float32Array | undefined;
  readonly legs: Readonly<Record<LegName, boolean>>;
  /** Legs that the caller named `true`. */
  readonly askedFor: Readonly<Record<LegName, boolean>>;
  readonly candidates: number;
  readonly shortlist: number;
  readonly rerank: 'auto' | boolean;
  readonly legWeights: Readonly<Record<LegName, number>>;
  readonly blend: BlendWeights;
  readonly collapse: Collapse;
  readonly overlapShare: number;
  readonly perDocument: number;
  readonly ef: number | undefined;
  readonly explain: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The defaults. RRF, cosine and logit have the weights of the first reranker's card; BM25's is from `bench/quality.mjs`. */
export const DEFAULT_SEARCH_OPTIONS = Object.freeze({
  k: 5,
  candidates: 100,
  shortlist: 20,
  rerank: 'auto' as const,
  legWeights: Object.freeze({ keywords: 1, vectors: 1 }),
  blend: Object.freeze({ rrf: 0.7, cosine: 0.5, bm25: 0.2, logit: 0.5 }),
  collapse: 'overlap' as const,
  overlapShare: 0.3,
  perDocument: Number.POSITIVE_INFINITY,
  explain: false,
});
