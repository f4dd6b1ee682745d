/**
 * Chunks along the structure of a document.
 *
 *  - A chunk holds text of one section, heading included; only a tiny section (under 15% of the limit) is merged with
 *    what follows under the same parent. A heading never stands alone if text follows it.
 *  - Blocks fill a chunk up to the limit. A table is cut between rows, with its head repeated in the embedding text;
 *    code between lines, with the opening fence repeated; a list between items; anything else into windows.
 *  - Chunks of one section share the overlap where the earlier one ends in prose. Tables, code and lists share
 *    nothing: a row or a statement that stands in two chunks is found twice and says nothing more.
 */

import type { Document } from '../model/document.js';
import { type Companies, groupParts, listParts } from './groups.js';
import type { Meter } from './meter.js';
import { Packer } from './pack.js';
import type { PlacedPiece } from './piece.js';
import type { Prefixes } from './prefix.js';

/** @param companies where sections share chunks by meaning and not by size */
export function cutByStructure(
  document: Document,
  meter: Meter,
  prefixes: Prefixes,
  overlapTokens: number,
  companies?: Companies,
): PlacedPiece[] {
  const packer = new Packer(meter, prefixes, overlapTokens);
  return groupParts(document, listParts(document), meter, prefixes, companies).flatMap((group) =>
    packer.pack(group),
  );
}
