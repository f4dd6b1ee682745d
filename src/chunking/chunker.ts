/** Puts strategy, meter, prefix and columns together. */

import type { ChunkColumns } from '../model/chunk.js';
import type { Chunker, ResolvedChunkOptions } from '../model/chunker.js';
import type { Document } from '../model/document.js';
import { chooseStrategy } from './auto.js';
import { toColumns } from './columns.js';
import { findFreeBorders } from './free-borders.js';
import { Meter } from './meter.js';
import type { PlacedPiece } from './piece.js';
import { Prefixes } from './prefix.js';
import { chunkedSpans } from './scope.js';
import { sectionAt } from './sections.js';
import { cutByStructure } from './structure.js';
import { cutWhole } from './whole.js';
import { cutWindows } from './windows.js';

/** Raised whenever the same document and options would give other chunks than before. */
const ALGORITHM_VERSION = 1;

/**
 * A chunker for options that `resolveChunkOptions` made. Synchronous: about a second per 2 MB of text with WordPiece
 * and per 4 MB with cl100k, so call it in a worker.
 */
export function createChunker(options: ResolvedChunkOptions): Chunker {
  const { strategy, limitTokens, overlapTokens, tokenizer } = options;
  const borders = findFreeBorders(tokenizer);
  return {
    fingerprint: `${strategy}(limit=${limitTokens},overlap=${overlapTokens},tokenizer=${tokenizer.name},v${ALGORITHM_VERSION})`,
    chunk(document: Document): ChunkColumns {
      const spans = chunkedSpans(document);
      const [from, to] = [spans[0]?.start ?? 0, spans.at(-1)?.end ?? 0];
      const meter = new Meter(document.text, from, to, tokenizer, limitTokens, borders);
      const prefixes = new Prefixes(document, meter);
      const pieces = cut(document, options, meter, prefixes);
      return toColumns(document, pieces, (section) => prefixes.headingPath(section));
    },
  };
}

function cut(
  document: Document,
  options: ResolvedChunkOptions,
  meter: Meter,
  prefixes: Prefixes,
): PlacedPiece[] {
  const { overlapTokens } = options;
  const strategy = options.strategy === 'auto' ? chooseStrategy(document) : options.strategy;
  if (strategy === 'whole') return cutWhole(document, meter, prefixes);
  if (strategy === 'structure') return cutByStructure(document, meter, prefixes, overlapTokens);
  const { sections } = document;
  const leadAt = (start: number) => prefixes.leadAt(sectionAt(sections, start), start);
  return chunkedSpans(document)
    .flatMap((span) => cutWindows(meter, span.start, span.end, overlapTokens, leadAt))
    .map((piece) => ({ ...piece, section: sectionAt(sections, piece.start) }));
}
