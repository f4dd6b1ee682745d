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
  const start = Uint32Array.from(pieces, (piece) => piece.start);
  const end = Uint32Array.from(pieces, (piece) => piece.end);
  return {
    start,
    end,
    tokens: Uint32Array.from(pieces, (piece) => piece.tokens),
    ...lineSpans(document, start, end),
    page: pagesAt(document.pages, start),
    ...parentSpans(document, pieces),
    kind: Uint8Array.from(pieces, (piece) => mainKind(document, piece.start, piece.end)),
    headingPath: pieces.map(headingPath),
    overLimit: Uint8Array.from(pieces, (piece) => Number(piece.overLimit)),
    embeddingText: packTexts(pieces.map((piece) => piece.lead + text.slice(piece.start, piece.end))),
  };
}

function parentSpans(document: Document, pieces: readonly PlacedPiece[]) {
  const parents = pieces.map((piece) => piece.parent ?? sectionSpan(document, piece));
  return {
    parentStart: Uint32Array.from(parents, ({ start }) => start),
    parentEnd: Uint32Array.from(parents, ({ end }) => end),
  };
}

/** The section of a piece; the piece itself where that is the whole document, which says nothing about the piece. */
function sectionSpan({ sections }: Document, piece: PlacedPiece): { start: number; end: number } {
  const { section, start, end } = piece;
  if (section === 0) return { start, end };
  return { start: Math.min(start, sections.start[section]!), end: Math.max(end, sections.end[section]!) };
}

/** The kind of most characters; text outside all blocks is prose. */
function mainKind(document: Document, start: number, end: number): BlockKind {
  const { blocks } = document;
  const chars = new Array<number>(BLOCK_KIND_NAMES.length).fill(0);
  let inBlocks = 0;
  for (let row = countUpTo(blocks.end, start); row < blocks.start.length; row++) {
    if (blocks.start[row]! >= end) break;
    const shared = Math.min(end, blocks.end[row]!) - Math.max(start, blocks.start[row]!);
    chars[blocks.kind[row]!]! += shared;
    inBlocks += shared;
  }
  chars[BlockKind.prose]! += end - start - inBlocks;
  return chars.indexOf(Math.max(...chars)) as BlockKind;
}
