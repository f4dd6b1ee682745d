const MAX_SUGGESTIONS = 3;

/** The names that a misspelt one most likely meant, nearest first. */
export function closest(name: string, known: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  const allowed = Math.max(1, Math.floor(name.length / 3));
  return known
    .map((candidate) => ({ candidate, distance: distanceTo(wanted, candidate.toLowerCase(), allowed) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ candidate }) => candidate);
}

/** 0 too for the same name without its `$`, or for the last key of a nested field. */
function distanceTo(wanted: string, candidate: string, limit: number): number {
  if (candidate === `$${wanted}` || candidate.endsWith(`.${wanted}`)) return 0;
  return editDistance(wanted, candidate, limit);
}

/** Insertions, deletions, replacements and swaps of neighbours; more than `limit` is given as `limit + 1`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}
