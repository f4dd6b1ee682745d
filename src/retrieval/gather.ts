import { documentKey, type StoredChunk } from '../model/store.js';
import { blendLegs } from './blend-legs.js';
import { foldByGroup } from './fold.js';
import { type Candidate, fuseSteps, type RankedLeg } from './fuse.js';
import type { Legs, LegsContext } from './legs.js';
import type { BlendWeights } from './options.js';
import type { Shelf } from './shelf.js';
import { inPieces, type Steps } from './steps.js';

/** What the first stage found: the legs' own lists, and the fused candidates, best first. */
export interface Gathered {
  readonly lists: readonly RankedLeg[];
  readonly candidates: readonly Candidate[];
}

/** Chunks asked of a leg at most, however few documents they are of: a bound on time and memory, not on hits. */
export const MAX_DEPTH_CHUNKS = 10_000;
const DEEPEN_BY = 4;

/**
 * Runs the legs and fuses them, deeper and with unfit legs as fill, until there are k candidates or no more exist.
 * Only 'document' and 'parent' ever have to go deeper: elsewhere a leg that is full has brought k chunks already. They
 * give up at MAX_DEPTH_CHUNKS, so where that many chunks belong to fewer than k documents or parents, fewer come back.
 */
export async function gather(context: LegsContext, legs: Legs, shelf: Shelf): Promise<Gathered> {
  const { options, allowed } = context;
  let depth = Math.max(options.candidates, options.k);
  let fill = false;
  for (;;) {
    const lists = await legs.run(depth, fill);
    const candidates = await fuseLists(context, lists, shelf);
    if (candidates.length >= Math.min(options.k, allowed.count)) return { lists, candidates };
    if (lists.some(({ result }) => result.labels.length >= depth) && depth < MAX_DEPTH_CHUNKS) {
      depth = Math.min(depth * DEEPEN_BY, MAX_DEPTH_CHUNKS);
    } else if (legs.canFill && !fill) fill = true;
    else return { lists, candidates };
  }
}

async function fuseLists(
  context: LegsContext,
  lists: readonly RankedLeg[],
  shelf: Shelf,
): Promise<Candidate[]> {
  const { options, watch } = context;
  const { collapse } = options;
  if (collapse !== 'document' && collapse !== 'parent')
    return watch.time('fuse', () => inPieces(join(lists, options.blend)));
  const chunks = await shelf.fetch(lists.flatMap(({ result }) => Array.from(result.labels)));
  const folded = foldByGroup(lists, (label) => groupOf(chunks.get(label), collapse));
  return watch.time('fuse', async () => inPieces(join(await inPieces(folded), options.blend)));
}

function* join(lists: readonly RankedLeg[], weights: BlendWeights): Steps<Candidate[]> {
  return yield* blendLegs(yield* fuseSteps(lists), lists, weights);
}

function groupOf(chunk: StoredChunk | undefined, collapse: 'document' | 'parent'): string | undefined {
  if (chunk === undefined) return undefined;
  const document = documentKey(chunk);
  return collapse === 'document' ? document : `${chunk.parentStart}-${chunk.parentEnd} ${document}`;
}
