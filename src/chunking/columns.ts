/** Planned pieces → the columns that leave the stage. */

import type { ChunkColumns } from '../model/chunk.js';
import { BLOCK_KIND_NAMES, BlockKind, type Document } from '../model/document.js';
import { countUpTo } from '../model/sorted.js';
import { packTexts } from '../model/text-column.js';
import { lineSpans, pagesAt } from './lines.js';
import type { PlacedPiece } from './piece.js';

export function toColumns(
  document: Document,
  pieces: readonly PlacedPiece[],
  headingPath: (piece: PlacedPiece) => string,
): ChunkColumns {
  const { text } = document;
  const start = column(pieces, (piece) => piece.start);
  const end = column(pieces, (piece) => piece.end);
  return {
    start,
    end,
    tokens: column(pieces, (piece) => piece.tokens),
    ...lineSpans(document, start, end),
    page: pagesAt(document.pages, start),
    ...parentSpans(document, pieces),
    kind: new Uint8Array(column(pieces, (piece) => mainKind(document, piece.start, piece.end))),
    headingPath: pieces.map(headingPath),
    overLimit: new Uint8Array(column(pieces, (piece) => Number(piece.overLimit))),
    embeddingText: packTexts(pieces.map((piece) => piece.lead + text.slice(piece.start, piece.end))),
  };
}

/** A number of each piece. Typed arrays' own `from` goes through an iterator, which costs several times as much. */
function column(pieces: readonly PlacedPiece[], numberOf: (piece: PlacedPiece) => number): Uint32Array {
  const numbers = new Uint32Array(pieces.length);
  for (let i = 0; i < pieces.length; i++) numbers[i] = numberOf(pieces[i]!);
  return numbers;
}

function parentSpans(document: Document, pieces: readonly PlacedPiece[]) {
  const parentStart = new Uint32Array(pieces.length);
  const parentEnd = new Uint32Array(pieces.length);
  for (const [i, piece] of pieces.entries()) {
    const { start, end } = piece.parent ?? sectionSpan(document, piece);
    parentStart[i] = start;
    parentEnd[i] = end;
  }
  return { parentStart, parentEnd };
}

/** The section of a piece; the piece itself where that is the whole document, which says nothing about the piece. */
function sectionSpan({ sections }: Document, piece: PlacedPiece): { start: number; end: number } {
  const { section, start, end } = piece;
  if (section === 0) return { start, end };
  return { start: Math.min(start, sections.start[section]!), end: Math.max(end, sections.end[section]!) };
}

/** The kind of most characters; text outside all blocks is prose. */
function mainKind({ blocks }: Document, start: number, end: number): BlockKind {
  const first = countUpTo(blocks.end, start);
  // A chunk of one block, or of none, needs no counting.
  if (first === blocks.start.length || blocks.start[first]! >= end) return BlockKind.prose;
  if (blocks.start[first]! <= start && blocks.end[first]! >= end) return blocks.kind[first] as BlockKind;
  const chars = new Array<number>(BLOCK_KIND_NAMES.length).fill(0);
  let inBlocks = 0;
  for (let row = first; row < blocks.start.length; row++) {
    if (blocks.start[row]! >= end) break;
    const shared = Math.min(end, blocks.end[row]!) - Math.max(start, blocks.start[row]!);
    chars[blocks.kind[row]!]! += shared;
    inBlocks += shared;
  }
  chars[BlockKind.prose]! += end - start - inBlocks;
  return chars.indexOf(Math.max(...chars)) as BlockKind;
}
