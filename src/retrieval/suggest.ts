import { editDistance } from '../model/edit-distance.js';

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
