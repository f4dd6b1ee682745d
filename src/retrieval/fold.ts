import type { Label } from '../model/store.js';
import { fuseSteps, type RankedLeg } from './fuse.js';
import { eachStep, type Steps } from './steps.js';

/**
 * Folds legs to one entry a group of chunks, a document or a parent, so that fusing them ranks groups: each leg keeps a
 * group's first place and closes the ranks, and both legs name it by the same label, that of its best chunk by the
 * fusion of chunks. The leg score is that of the leg's own best chunk of the group. Without this a document with five
 * chunks in one list would be rewarded for its length. Labels without a group are left out.
 */
export function* foldByGroup(
  legs: readonly RankedLeg[],
  groupOf: (label: Label) => string | undefined,
): Steps<RankedLeg[]> {
  const best = new Map<string, Label>();
  yield* eachStep(yield* fuseSteps(legs), ({ label }) => {
    const group = groupOf(label);
    if (group !== undefined && !best.has(group)) best.set(group, label);
  });
  const folded: RankedLeg[] = [];
  for (const leg of legs) folded.push(yield* foldLeg(leg, groupOf, best));
  return folded;
}

function* foldLeg(
  leg: RankedLeg,
  groupOf: (label: Label) => string | undefined,
  best: ReadonlyMap<string, Label>,
): Steps<RankedLeg> {
  const seen = new Set<string>();
  const labels: Label[] = [];
  const scores: number[] = [];
  yield* eachStep(leg.result.labels, (label, at) => {
    const group = groupOf(label);
    if (group === undefined || seen.has(group)) return;
    seen.add(group);
    labels.push(best.get(group)!);
    scores.push(leg.result.scores[at]!);
  });
  return { ...leg, result: { labels: Uint32Array.from(labels), scores: Float32Array.from(scores) } };
}
