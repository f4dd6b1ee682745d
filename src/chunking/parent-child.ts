/**
 * Small chunks that are found, and the larger spans that answer for them. Parents are cut like any chunk, along
 * structure where there is any, and share nothing; children are cut out of their parent the same way.
 */

import type { Document } from '../model/document.js';
import { hasStructure } from './auto.js';
import { clipParts, groupParts, listParts } from './groups.js';
import type { Meter } from './meter.js';
import { Packer } from './pack.js';
import type { PlacedPiece } from './piece.js';
import { Prefixes } from './prefix.js';
import { chunkedSpans } from './scope.js';
import { sectionAt } from './sections.js';
import { cutByStructure } from './structure.js';
import { cutWindows } from './windows.js';

/** @param meter with the limit of children */
export function cutParentsAndChildren(
  document: Document,
  meter: Meter,
  overlapTokens: number,
  parentTokens: number,
): PlacedPiece[] {
  const parents = cutParents(document, meter.withLimit(parentTokens));
  const prefixes = new Prefixes(document, meter);
  const packer = new Packer(meter, prefixes, overlapTokens);
  return clipParts(listParts(document), parents).flatMap((parts, row) => {
    const { start, end } = parents[row]!;
    return groupParts(document, parts, meter, prefixes).flatMap((group) =>
      packer.pack(group).map((piece) => ({ ...piece, parent: { start, end } })),
    );
  });
}

function cutParents(document: Document, meter: Meter): PlacedPiece[] {
  const prefixes = new Prefixes(document, meter);
  if (hasStructure(document)) return cutByStructure(document, meter, prefixes, 0);
  const leadAt = (start: number) => prefixes.leadAt(sectionAt(document.sections, start), start);
  return chunkedSpans(document)
    .flatMap((span) => cutWindows(meter, span.start, span.end, 0, leadAt))
    .map((piece) => ({ ...piece, section: sectionAt(document.sections, piece.start) }));
}

/**
 * Cuts again what is over a second limit in other tokens: children counted in cl100k could pass the embedder's window.
 * @param windowMeter of the same text in those tokens, with that limit
 */
export function holdToWindow(
  document: Document,
  pieces: readonly PlacedPiece[],
  meter: Meter,
  windowMeter: Meter,
  overlapTokens: number,
): PlacedPiece[] {
  const prefixes = new Prefixes(document, windowMeter);
  const held = pieces.flatMap((piece) => {
    if (
      windowMeter.measure(windowMeter.lead(piece.lead), piece.start, piece.end) <= windowMeter.limitTokens
    ) {
      return [piece];
    }
    const leadAt = (start: number) => prefixes.leadAt(piece.section, start);
    return cutWindows(windowMeter, piece.start, piece.end, overlapTokens, leadAt).map((part) => {
      const tokens = meter.measure(meter.lead(part.lead), part.start, part.end);
      return { ...piece, ...part, tokens, overLimit: part.overLimit || tokens > meter.limitTokens };
    });
  });
  return inOrder(held);
}

/** What a cut chunk ends with may lie in the overlap of the next one: it goes, because that holds it whole. */
function inOrder(pieces: readonly PlacedPiece[]): PlacedPiece[] {
  const kept: PlacedPiece[] = [];
  for (const piece of [...pieces].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (kept.length === 0 || piece.end > kept.at(-1)!.end) kept.push(piece);
  }
  return kept;
}
