/** Edits (insert, delete, replace) between two short words: Levenshtein's distance, one row at a time. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** The known name that an unknown one was probably meant to be; undefined where none is near. */
export function suggest(unknown: string, known: readonly string[]): string | undefined {
  // The distance is quadratic, and no option's name is long: a long one is no slip of the finger.
  if (unknown.length > 40) return undefined;
  const word = unknown.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(word, name.toLowerCase());
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  return best !== undefined && best.distance <= Math.max(2, Math.floor(word.length / 3))
    ? best.name
    : undefined;
}
