import { SluiceError } from '../errors.js';
import { HEADING_SEPARATOR } from '../model/chunk.js';
import type { Reranker } from '../model/reranker.js';
import type { StoredChunk } from '../model/store.js';
import { packTexts } from '../model/text-column.js';
import { blend } from './blend.js';
import type { RankedChunk } from './hit.js';
import type { BlendWeights } from './options.js';

/**
 * Puts a shortlist into the order of the blend (RRF, cosine, BM25 and the reranker's logit, standardised over the
 * shortlist); equal blends keep the order in which they came. A permutation: it never adds a chunk and never drops
 * one, so first-stage recall caps it. A logit that is not finite counts as the worst.
 * Throws what the reranker throws, and SLUICE_MODEL_FAILED if it answers with no finite logit or with a wrong number.
 */
export async function rerankShortlist(
  reranker: Reranker,
  query: string,
  shortlist: readonly RankedChunk[],
  weights: BlendWeights,
  signal?: AbortSignal,
): Promise<RankedChunk[]> {
  if (shortlist.length === 0) return [];
  const passages = packTexts(shortlist.map(({ chunk }) => passageText(chunk)));
  const { scores } = await reranker.score(query, passages, signal);
  checkLogits(scores, shortlist.length, reranker.fingerprint.name);
  const logits = Array.from(scores, (score) => (Number.isFinite(score) ? score : null));
  const blended = blend(
    shortlist.map(({ candidate }, i) => ({
      rrf: candidate.rrf,
      cosine: candidate.places.vectors?.score ?? null,
      bm25: candidate.places.keywords?.score ?? null,
      logit: logits[i]!,
    })),
    weights,
  );
  const order = Array.from(shortlist.keys()).sort((a, b) => blended[b]! - blended[a]! || a - b);
  return order.map((i) => ({ ...shortlist[i]!, logit: logits[i]!, blend: blended[i]!, score: blended[i]! }));
}

/**
 * The chunks behind a reranked shortlist keep their fused order. Their score goes on falling from the last blend by
 * what they are behind in the first stage: the two scores have different scales, and may not rise down the answer.
 */
export function continueBehind(
  shortlist: readonly RankedChunk[],
  rest: readonly RankedChunk[],
): RankedChunk[] {
  const last = shortlist.at(-1);
  if (last === undefined) return [...rest];
  const least = Math.min(...shortlist.map(({ candidate }) => candidate.score));
  return rest.map((ranked) => ({
    ...ranked,
    score: last.score - Math.max(0, least - ranked.candidate.score),
  }));
}

/** What the reranker reads: title and headings before the text, as it saw them in training. */
export function passageText(chunk: StoredChunk): string {
  const headings = chunk.headingPath.split(HEADING_SEPARATOR);
  // A title that only repeats the id, the path or the top heading tells the model nothing.
  const known = [chunk.documentId, chunk.source, headings[0]].includes(chunk.title);
  const context = [known ? '' : chunk.title, chunk.headingPath].filter((part) => part !== '');
  return [context.join(HEADING_SEPARATOR), chunk.text].filter((part) => part !== '').join('\n');
}

function checkLogits(scores: Float32Array, wanted: number, name: string): void {
  if (scores.length !== wanted) {
    throw new SluiceError(
      'SLUICE_MODEL_FAILED',
      `reranker ${name} returned ${scores.length} scores for ${wanted} passages`,
    );
  }
  if (!scores.some((score) => Number.isFinite(score))) {
    throw new SluiceError(
      'SLUICE_MODEL_FAILED',
      `reranker ${name} returned no finite score for ${wanted} passages`,
    );
  }
}
