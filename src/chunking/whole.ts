/** One chunk for the whole document, however long: for records that are passages already. */

import type { Document } from '../model/document.js';
import type { Meter } from './meter.js';
import type { PlacedPiece } from './piece.js';
import type { Prefixes } from './prefix.js';
import { chunkedSpans } from './scope.js';
import { trimEnd, trimStart } from './white.js';

/** A chunk over the limit is flagged, not cut: it is embedded by windows. A document without text gives none. */
export function cutWhole(document: Document, meter: Meter, prefixes: Prefixes): PlacedPiece[] {
  const spans = chunkedSpans(document);
  if (spans.length === 0) return [];
  const end = trimEnd(document.text, 0, spans.at(-1)!.end);
  const start = trimStart(document.text, spans[0]!.start, end);
  const lead = prefixes.leadAt(0, start);
  const tokens = meter.measure(lead, start, end);
  return [{ start, end, lead: lead.text, tokens, overLimit: tokens > meter.limitTokens, section: 0 }];
}
