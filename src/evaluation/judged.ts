import { SluiceError } from '../errors.js';
import type { Qrels, Queries } from './beir.js';
import { hasRelevant, type Judgements } from './metrics.js';

/** A query that can be measured: it has a text and at least one relevant document. */
export interface JudgedQuery {
  readonly id: string;
  readonly text: string;
  readonly judged: Judgements;
}

/** What of a golden set can be measured, and what was left out. */
export interface JudgedSet {
  readonly queries: readonly JudgedQuery[];
  /** Judged queries without a document of a grade over 0. */
  readonly withoutRelevant: number;
  /** Ids of judged queries that the query file lacks. */
  readonly withoutText: readonly string[];
}

/** Tells for each id whether the index holds that document; same order. */
export type HasDocument = (ids: readonly string[]) => Promise<readonly boolean[]>;

/** Joins queries and judgements. Throws SLUICE_NOT_FOUND if nothing is left to measure. */
export function joinJudged(queries: Queries, qrels: Qrels): JudgedSet {
  const measurable: JudgedQuery[] = [];
  const withoutText: string[] = [];
  let withoutRelevant = 0;
  for (const [id, judged] of qrels) {
    const text = queries.get(id);
    if (!hasRelevant(judged)) withoutRelevant++;
    else if (text === undefined) withoutText.push(id);
    else measurable.push({ id, text, judged });
  }
  if (measurable.length === 0) {
    throw new SluiceError('SLUICE_NOT_FOUND', `none of ${qrels.size} judged queries can be measured`, {
      hint: `${withoutText.length} have no text and ${withoutRelevant} no relevant document: do the files belong together?`,
      details: {
        queries: queries.size,
        judged: qrels.size,
        withoutText: withoutText.slice(0, LISTED_IDS),
        withoutRelevant,
      },
    });
  }
  return { queries: measurable, withoutRelevant, withoutText };
}

/** How many ids an error or a report spells out. */
export const LISTED_IDS = 20;

/**
 * The relevant documents that the index lacks. Throws SLUICE_NOT_FOUND, naming them, if it lacks them all: measuring
 * would give a wall of zeros. Documents judged irrelevant are not asked for: no metric notices their absence.
 */
export async function findMissing(
  queries: readonly JudgedQuery[],
  hasDocument: HasDocument,
): Promise<string[]> {
  const relevant = new Set<string>();
  for (const { judged } of queries) for (const [id, grade] of judged) if (grade > 0) relevant.add(id);
  const ids = [...relevant];
  const present = await hasDocument(ids);
  if (present.length !== ids.length) {
    throw new SluiceError(
      'SLUICE_USAGE',
      `hasDocument returned ${present.length} answers for ${ids.length} ids`,
    );
  }
  const missing = ids.filter((_, at) => !present[at]);
  if (missing.length < ids.length) return missing;
  const listed = missing.slice(0, LISTED_IDS).join(', ');
  throw new SluiceError(
    'SLUICE_NOT_FOUND',
    `the index holds none of the ${ids.length} relevant documents: ${listed}`,
    {
      hint: 'index the corpus of these judgements first, or check how its document ids are made',
      details: { missing: missing.length, ids: missing.slice(0, LISTED_IDS) },
    },
  );
}
