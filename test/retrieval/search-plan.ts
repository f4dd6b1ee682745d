/**
 * Which plan `native-bindings/src/vectors/search.rs` takes for a search of a graph, by its thresholds. Tests that say
 * "this was walked" count by it, and prove it: what is scanned is exact, what is walked with little effort is not.
 */
export type Plan = 'scan' | 'walk' | 'walk among the allowed';

const ALWAYS_SCAN = 2_048;
const SCANNED_A_CANDIDATE = 32;
const SCANNED_AN_ALLOWED_CANDIDATE = 64;
const BROAD_SHARE = 0.25;
/** Where what is allowed lies far from the query, a walk among the allowed is this much broader, or a scan instead. */
const BROADER = 4;

export interface PlannedSearch {
  /** Vectors in the graph, dead ones included. */
  vectors: number;
  /** Those of them that the filter allows. */
  allowed: number;
  /** Candidates of the walk, as the graph is asked: at least as many as it shall return. */
  ef: number;
}

/** Undefined where the plan depends on where the query lies. */
export function planOf({ vectors, allowed, ef }: PlannedSearch): Plan | undefined {
  const share = allowed / vectors;
  const isBroad = share >= BROAD_SHARE;
  const worthAWalk = isBroad ? (ef / share) * SCANNED_A_CANDIDATE : ef * SCANNED_AN_ALLOWED_CANDIDATE;
  if (allowed <= ALWAYS_SCAN || allowed <= worthAWalk) return 'scan';
  if (isBroad) return 'walk';
  return allowed > ef * BROADER * SCANNED_AN_ALLOWED_CANDIDATE ? 'walk among the allowed' : undefined;
}

/** The plan where no more is known than that between `least` and `most` vectors are allowed. Undefined where it differs. */
export function planBetween(
  search: Omit<PlannedSearch, 'allowed'>,
  least: number,
  most: number,
): Plan | undefined {
  // What a walk is worth falls at once where a filter is no longer broad, so the ends alone do not say it.
  const narrow = Math.ceil(BROAD_SHARE * search.vectors) - 1;
  const counts = least < narrow && narrow < most ? [least, narrow, narrow + 1, most] : [least, most];
  const [first, ...others] = counts.map((allowed) => planOf({ ...search, allowed }));
  return others.every((plan) => plan === first) ? first : undefined;
}
