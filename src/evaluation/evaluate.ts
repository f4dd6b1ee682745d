import { SluiceError, throwIfAborted, toErrorRecord } from '../errors.js';
import type { Qrels, Queries } from './beir.js';
import type { Configuration } from './configurations.js';
import { findMissing, type HasDocument, type JudgedQuery, joinJudged } from './judged.js';
import { summariseLatency } from './latency.js';
import { hitAt, ndcgAt, precisionAt, recallAt, reciprocalRankAt } from './metrics.js';
import type { ConfigurationReport, EvaluationReport, QueryReport } from './report.js';

/** What evaluation reads of an answer; every search result has it. */
export interface Answer {
  /** Best first. Several hits of one document count as one, at the best place. */
  readonly hits: readonly { readonly documentId: string }[];
  readonly reranked?: boolean;
  readonly rerankError?: { readonly message: string };
  readonly legs?: { readonly [leg: string]: { readonly found: number; readonly weight: number } };
}

export interface Progress {
  readonly configuration: string;
  /** Queries done and to do, over all configurations. */
  readonly done: number;
  readonly total: number;
}

export interface EvaluateRequest<Options> {
  readonly search: (query: string, options: Options) => Promise<Answer>;
  readonly queries: Queries;
  readonly qrels: Qrels;
  readonly configurations: readonly Configuration<Options>[];
  /** Cut-offs, 1 or more each. Default 10 and 100; each configuration must ask for the largest. */
  readonly ks?: readonly number[];
  /** Lets evaluation fail at once when the corpus isn't in the index. */
  readonly hasDocument?: HasDocument;
  readonly onProgress?: (progress: Progress) => void;
  /** Adds every query's metrics and ranking. Default false. */
  readonly perQuery?: boolean;
  readonly signal?: AbortSignal;
}

const DEFAULT_KS: readonly number[] = [10, 100];

/**
 * Runs every judged query through every configuration, one at a time so that latency is that of a search alone; each
 * configuration's first query is run once before, unmeasured, since it may load models. Means are over the queries
 * that have a relevant document.
 * Throws SLUICE_USAGE for wrong cut-offs or names, SLUICE_NOT_FOUND if nothing can be measured or the index holds none
 * of the relevant documents, and a failing search's error with query and configuration in its message.
 */
export async function evaluate<Options>(request: EvaluateRequest<Options>): Promise<EvaluationReport> {
  const ks = checkKs(request.ks ?? DEFAULT_KS);
  checkNames(request.configurations);
  const set = joinJudged(request.queries, request.qrels);
  const missing =
    request.hasDocument === undefined ? null : await findMissing(set.queries, request.hasDocument);
  const configurations: ConfigurationReport[] = [];
  const total = set.queries.length * request.configurations.length;
  for (const [at, configuration] of request.configurations.entries()) {
    const done = at * set.queries.length;
    configurations.push(await runConfiguration(request, configuration, set.queries, ks, { done, total }));
  }
  return {
    queries: set.queries.length,
    withoutRelevant: set.withoutRelevant,
    withoutText: [...set.withoutText],
    missingDocuments: missing,
    ks,
    configurations,
  };
}

async function runConfiguration<Options>(
  request: EvaluateRequest<Options>,
  configuration: Configuration<Options>,
  queries: readonly JudgedQuery[],
  ks: readonly number[],
  progress: { done: number; total: number },
): Promise<ConfigurationReport> {
  const results: QueryReport[] = [];
  const counts = { reranked: 0, rerankErrors: 0, emptyLegs: new Map<string, number>() };
  await ask(request, configuration, queries[0]!);
  for (const query of queries) {
    throwIfAborted(request.signal);
    const from = performance.now();
    const answer = await ask(request, configuration, query);
    const ms = performance.now() - from;
    const ranking = [...new Set(answer.hits.map(({ documentId }) => documentId))];
    results.push({ id: query.id, ms, metrics: measure(ranking, query, ks), ranking });
    countStages(answer, counts);
    const done = progress.done + results.length;
    request.onProgress?.({ configuration: configuration.name, done, total: progress.total });
  }
  return {
    name: configuration.name,
    metrics: average(results.map(({ metrics }) => metrics)),
    latency: summariseLatency(results.map(({ ms }) => ms)),
    reranked: counts.reranked,
    rerankErrors: counts.rerankErrors,
    emptyLegs: Object.fromEntries(counts.emptyLegs),
    ...(request.perQuery === true ? { perQuery: results } : {}),
  };
}

async function ask<Options>(
  { search, signal }: EvaluateRequest<Options>,
  { name, options }: Configuration<Options>,
  { id, text }: JudgedQuery,
): Promise<Answer> {
  try {
    return await search(text, options);
  } catch (error) {
    throwIfAborted(signal);
    const { code, message, details } = toErrorRecord(error);
    throw new SluiceError(code, `query '${id}' failed in configuration '${name}': ${message}`, {
      cause: error,
      details: { ...details, query: id, configuration: name },
    });
  }
}

function measure(
  ranking: readonly string[],
  { judged }: JudgedQuery,
  ks: readonly number[],
): Record<string, number> {
  const metrics: Record<string, number> = {};
  for (const k of ks) {
    metrics[`nDCG@${k}`] = ndcgAt(ranking, judged, k);
    metrics[`recall@${k}`] = recallAt(ranking, judged, k);
    metrics[`MRR@${k}`] = reciprocalRankAt(ranking, judged, k);
    metrics[`precision@${k}`] = precisionAt(ranking, judged, k);
    metrics[`hit@${k}`] = hitAt(ranking, judged, k);
  }
  return metrics;
}

function countStages(
  { reranked, rerankError, legs }: Answer,
  counts: { reranked: number; rerankErrors: number; emptyLegs: Map<string, number> },
): void {
  if (reranked === true) counts.reranked++;
  if (rerankError !== undefined) counts.rerankErrors++;
  for (const [leg, { found, weight }] of Object.entries(legs ?? {})) {
    if (weight > 0 && found === 0) counts.emptyLegs.set(leg, (counts.emptyLegs.get(leg) ?? 0) + 1);
  }
}

function average(all: readonly Record<string, number>[]): Record<string, number> {
  const names = Object.keys(all[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, all.reduce((sum, one) => sum + one[name]!, 0) / all.length]),
  );
}

function checkKs(ks: readonly number[]): number[] {
  if (ks.length > 0 && ks.every((k) => Number.isSafeInteger(k) && k > 0))
    return [...new Set(ks)].sort((a, b) => a - b);
  throw new SluiceError('SLUICE_USAGE', `ks must be whole numbers of 1 or more, not [${ks.join(', ')}]`);
}

function checkNames(configurations: readonly { readonly name: string }[]): void {
  const names = configurations.map(({ name }) => name);
  if (names.length === 0) throw new SluiceError('SLUICE_USAGE', 'no configuration to evaluate was given');
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new SluiceError('SLUICE_USAGE', `two configurations are called '${twice}'`);
}
