/** A way of searching that is measured: a name for the report, and what the search function gets as options. */
export interface Configuration<Options> {
  readonly name: string;
  readonly options: Options;
}

/** The search options that the standard configurations set; every other one keeps its default. */
export interface StandardOptions {
  k: number;
  candidates: number;
  shortlist: number;
  collapse: 'document';
  legs: { keywords: boolean; vectors: boolean };
  rerank: boolean | 'auto';
}

/**
 * What each stage is worth: each leg alone, both fused, and with a reranker the fused list reranked, for every query
 * ('fused+rerank') and for questions only ('fused+auto', what search does by default). `depth` is how many documents
 * each returns (default 100), so it must be the largest k that is measured; `shortlist` is how many are reranked
 * (default 20, that of a search for few hits).
 */
export function standardConfigurations(
  given: { depth?: number; shortlist?: number; reranker?: boolean } = {},
): Configuration<StandardOptions>[] {
  const depth = given.depth ?? 100;
  const shortlist = given.shortlist ?? 20;
  const of = (name: string, legs: StandardOptions['legs'], rerank: StandardOptions['rerank']) => ({
    name,
    options: { k: depth, candidates: depth, shortlist, collapse: 'document' as const, legs, rerank },
  });
  const both = { keywords: true, vectors: true };
  return [
    of('keywords', { keywords: true, vectors: false }, false),
    of('vectors', { keywords: false, vectors: true }, false),
    of('fused', both, false),
    ...(given.reranker === true ? [of('fused+rerank', both, true), of('fused+auto', both, 'auto')] : []),
  ];
}
