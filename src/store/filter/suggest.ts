import { editDistance } from '../../model/edit-distance.js';

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
