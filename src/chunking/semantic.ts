/**
 * Cuts where the subject changes: between neighbouring sentences of a section whose embeddings lie farther apart than
 * most of the document's. Every sentence is embedded once more than it will be as part of a chunk, so chunking costs as
 * much as embedding; measure what it brings before paying for it.
 */

import type { ResolvedChunkOptions } from '../model/chunker.js';
import { BlockKind, type Document } from '../model/document.js';
import { type Group, listParts, type Part } from './groups.js';
import type { Meter } from './meter.js';
import { Packer } from './pack.js';
import type { PlacedPiece } from './piece.js';
import type { Prefixes } from './prefix.js';
import { findSentences } from './sentences.js';

/** A table or a file of code is judged by its beginning. */
const MAX_UNIT_CHARS = 2000;
/** Vectors are kept no longer than they are compared: a book has more sentences than memory has room for vectors. */
const UNITS_PER_CALL = 512;

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
  { buffer, embed }: SemanticOptions,
): Promise<Float64Array> {
  if (units.length < 3) return new Float64Array(0);
  const distances = new Float64Array(units.length - 1);
  let before: Float32Array | undefined;
  for (let first = 0; first < units.length; first += UNITS_PER_CALL) {
    const rows = Math.min(UNITS_PER_CALL, units.length - first);
    const texts = Array.from({ length: rows }, (_, i) => textAround(text, units, first + i, buffer));
    const { data, dims } = await embed(texts);
    for (let i = 0; i < rows; i++) {
      const row = first + i;
      const vector = data.subarray(i * dims, (i + 1) * dims);
      const isNeighbour = before !== undefined && units[row]!.section === units[row - 1]!.section;
      if (row > 0) distances[row - 1] = isNeighbour ? distance(before!, vector) : Number.NaN;
      before = vector;
    }
  }
  return distances;
}

/** A unit with its neighbours of the same section. */
function textAround(text: string, units: readonly Part[], row: number, buffer: number): string {
  const { section } = units[row]!;
  return units
    .slice(Math.max(0, row - buffer), row + buffer + 1)
    .filter((unit) => unit.section === section)
    .map(({ start, end }) => text.slice(start, Math.min(end, start + MAX_UNIT_CHARS)))
    .join(' ');
}

function distance(a: Float32Array, b: Float32Array): number {
  let [dot, ofA, ofB] = [0, 0, 0];
  for (const [i, x] of a.entries()) {
    const y = b[i]!;
    dot += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return ofA === 0 || ofB === 0 ? 0 : 1 - dot / Math.sqrt(ofA * ofB);
}

/** Linear between the nearest ranks; infinite where there are no values, so that nothing is above it. */
function percentile(values: Float64Array, percent: number): number {
  if (values.length === 0) return Number.POSITIVE_INFINITY;
  const sorted = values.slice().sort();
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
