/**
 * Cuts where the subject changes: between neighbouring sentences of a section whose embeddings lie farther apart than
 * most of the document's. Every sentence is embedded once more than it will be as part of a chunk, so chunking costs as
 * much as embedding; measure what it brings before paying for it.
 */

import type { ResolvedChunkOptions } from '../model/chunker.js';
import { BlockKind, type Document } from '../model/document.js';
import type { EmbeddingMatrix } from '../model/embedder.js';
import { type Group, listParts, type Part } from './groups.js';
import type { Meter } from './meter.js';
import { Packer } from './pack.js';
import type { PlacedPiece } from './piece.js';
import type { Prefixes } from './prefix.js';
import { findSentences } from './sentences.js';

/** A table or a file of code is judged by its beginning. */
const MAX_UNIT_CHARS = 2000;

type SemanticOptions = NonNullable<ResolvedChunkOptions['semantic']>;

export async function cutSemantically(
  document: Document,
  meter: Meter,
  prefixes: Prefixes,
  overlapTokens: number,
  options: SemanticOptions,
): Promise<PlacedPiece[]> {
  const units = listParts(document).flatMap((part) => unitsOf(document.text, part));
  const distances = await distancesBetween(document.text, units, options);
  const threshold = percentile(
    distances.filter((distance) => !Number.isNaN(distance)),
    options.percentile,
  );
  const packer = new Packer(meter, prefixes, overlapTokens);
  return groupUnits(units, (row) => distances[row]! > threshold).flatMap((group) => packer.pack(group));
}

/** A sentence, or a block that is no prose, which is never cut for its subject. */
function unitsOf(text: string, part: Part): Part[] {
  if (part.kind !== BlockKind.prose) return [part];
  return findSentences(text, part.start, part.end).map(({ start, end }) => ({ ...part, start, end }));
}

/** Cosine distance between each unit and the next, NaN at the border of a section, which is a cut anyway. */
async function distancesBetween(
  text: string,
  units: readonly Part[],
  options: SemanticOptions,
): Promise<number[]> {
  if (units.length < 3) return [];
  const neighbour = (row: number) => units[row] !== undefined;
  const texts = units.map((unit, row) => {
    let [first, last] = [row, row];
    while (row - first < options.buffer && neighbour(first - 1) && units[first - 1]!.section === unit.section)
      first--;
    while (last - row < options.buffer && neighbour(last + 1) && units[last + 1]!.section === unit.section)
      last++;
    return units
      .slice(first, last + 1)
      .map(({ start, end }) => text.slice(start, Math.min(end, start + MAX_UNIT_CHARS)))
      .join(' ');
  });
  const vectors = await options.embed(texts);
  return units
    .slice(1)
    .map((unit, row) =>
      unit.section === units[row]!.section ? distance(vectors, row, row + 1) : Number.NaN,
    );
}

function distance({ data, dims }: EmbeddingMatrix, a: number, b: number): number {
  let [dot, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < dims; i++) {
    const [x, y] = [data[a * dims + i]!, data[b * dims + i]!];
    dot += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return ofA === 0 || ofB === 0 ? 0 : 1 - dot / Math.sqrt(ofA * ofB);
}

/** Linear between the nearest ranks; infinite where there are no values, so that nothing is above it. */
function percentile(values: number[], percent: number): number {
  if (values.length === 0) return Number.POSITIVE_INFINITY;
  const sorted = Float64Array.from(values).sort();
  const rank = ((sorted.length - 1) * percent) / 100;
  const [below, above] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!];
  return below + (above - below) * (rank - Math.floor(rank));
}

/** A group ends where a section does, or behind a unit that a cut follows; headings go along with what is below. */
function groupUnits(units: readonly Part[], cutBehind: (row: number) => boolean): Group[] {
  const groups: Group[] = [];
  let open: Part[] = [];
  let hasBody = false;
  for (const [row, unit] of units.entries()) {
    open.push(unit);
    hasBody ||= unit.isBody;
    const next = units[row + 1];
    if (next !== undefined && (!hasBody || (next.section === unit.section && !cutBehind(row)))) continue;
    groups.push({ parts: joinSentences(open), section: unit.section });
    open = [];
    hasBody = false;
  }
  return groups;
}

/** Sentences of one paragraph in a row are one part again: where it is over the limit, windows choose their cuts. */
function joinSentences(units: readonly Part[]): Part[] {
  const parts: Part[] = [];
  for (const unit of units) {
    const last = parts.at(-1);
    if (
      last &&
      last.kind === BlockKind.prose &&
      unit.kind === BlockKind.prose &&
      last.section === unit.section
    ) {
      parts[parts.length - 1] = { ...last, end: unit.end, isBody: last.isBody || unit.isBody };
    } else parts.push(unit);
  }
  return parts;
}
