import type { Label } from '../model/store.js';
import { fuseSteps, type RankedLeg } from './fuse.js';
import { eachStep, type Steps } from './steps.js';

/**
 * Folds legs to one entry a document, so that fusing them ranks documents: each leg keeps a document's first place and
 * closes the ranks, and both legs name it by the same label, that of its best chunk by the fusion of chunks. The leg
 * score is that of the leg's own best chunk of the document. Without this a document with five chunks in one list
 * would be rewarded for its length. Labels without a document are left out.
 */
export function* foldByDocument(
  legs: readonly RankedLeg[],
  documentOf: (label: Label) => string | undefined,
): Steps<RankedLeg[]> {
  const best = new Map<string, Label>();
  yield* eachStep(yield* fuseSteps(legs), ({ label }) => {
    const document = documentOf(label);
    if (document !== undefined && !best.has(document)) best.set(document, label);
  });
  const folded: RankedLeg[] = [];
  for (const leg of legs) folded.push(yield* foldLeg(leg, documentOf, best));
  return folded;
}

function* foldLeg(
  leg: RankedLeg,
  documentOf: (label: Label) => string | undefined,
  best: ReadonlyMap<string, Label>,
): Steps<RankedLeg> {
  const seen = new Set<string>();
  const labels: Label[] = [];
  const scores: number[] = [];
  yield* eachStep(leg.result.labels, (label, at) => {
    const document = documentOf(label);
    if (document === undefined || seen.has(document)) return;
    seen.add(document);
    labels.push(best.get(document)!);
    scores.push(leg.result.scores[at]!);
  });
  return { ...leg, result: { labels: Uint32Array.from(labels), scores: Float32Array.from(scores) } };
}
