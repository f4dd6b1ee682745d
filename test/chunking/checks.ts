/** What must hold for the chunks of any document. */

import { expect } from 'vitest';
import { auditCoverage, createChunker } from '../../src/chunking/index.js';
import { DEFAULT_SEPARATORS } from '../../src/chunking/separators.js';
import type { ChunkColumns } from '../../src/model/chunk.js';
import type { ResolvedChunkOptions } from '../../src/model/chunker.js';
import type { Document } from '../../src/model/document.js';
import { textAt, textCount } from '../../src/model/text-column.js';

/** Options as the edge resolves them; strategies that need sizes of their own get small ones. */
export type Sizes = Partial<ResolvedChunkOptions> & Pick<ResolvedChunkOptions, 'limitTokens' | 'tokenizer'>;

export function resolved(sizes: Sizes): ResolvedChunkOptions {
  const { strategy = 'auto', overlapTokens = 0, limitTokens, tokenizer } = sizes;
  const window = { limitTokens, tokenizer };
  return {
    ...(strategy === 'words' && { words: { limit: limitTokens, overlap: overlapTokens } }),
    ...(strategy === 'recursive' && { separators: DEFAULT_SEPARATORS }),
    ...(strategy === 'parent-child' && { parents: { limitTokens: limitTokens * 4, window } }),
    ...sizes,
    strategy,
    overlapTokens,
  };
}

/** Of all strategies but 'semantic', which answers later. */
export function chunk(document: Document, sizes: Sizes): ChunkColumns {
  const chunks = createChunker(resolved(sizes)).chunk(document);
  if (chunks instanceof Promise) throw new Error('chunks that are promised');
  return chunks;
}

export function slices(document: Document, chunks: ChunkColumns): string[] {
  return Array.from(chunks.start, (start, i) => document.text.slice(start, chunks.end[i]));
}

export function embeddingTexts(chunks: ChunkColumns): string[] {
  return Array.from({ length: textCount(chunks.embeddingText) }, (_, row) =>
    textAt(chunks.embeddingText, row),
  );
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function checkContract(document: Document, sizes: Sizes): ChunkColumns {
  return checkChunks(document, chunk(document, sizes), sizes);
}

/** Strategies whose chunks may be over the limit whatever they hold. */
const UNCUT: readonly unknown[] = ['whole', 'words'];

export function checkChunks(document: Document, chunks: ChunkColumns, sizes: Sizes): ChunkColumns {
  const { text } = document;
  const texts = embeddingTexts(chunks);
  const borders = new Set([...graphemes.segment(text)].map((g) => g.index)).add(text.length);
  expect(texts.length).toBe(chunks.start.length);
  for (let i = 0; i < chunks.start.length; i++) {
    const [start, end] = [chunks.start[i]!, chunks.end[i]!];
    expect(end).toBeGreaterThan(start);
    expect(end).toBeLessThanOrEqual(text.length);
    if (i > 0) {
      expect(start).toBeGreaterThan(chunks.start[i - 1]!);
      // No chunk lies wholly inside the one before.
      expect(end).toBeGreaterThan(chunks.end[i - 1]!);
    }
    expect(chunks.parentStart[i]).toBeLessThanOrEqual(start);
    expect(chunks.parentEnd[i]).toBeGreaterThanOrEqual(end);
    const slice = text.slice(start, end);
    expect(slice.trim()).not.toBe('');
    expect(texts[i]!.endsWith(slice.toWellFormed())).toBe(true);
    expect(chunks.tokens[i]).toBe(sizes.tokenizer.count(texts[i]!));
    expect(chunks.overLimit[i] === 1).toBe(chunks.tokens[i]! > sizes.limitTokens);
    if (!UNCUT.includes(sizes.strategy) && chunks.overLimit[i]) expect([...slice].length).toBe(1);
    for (const at of [start, end]) checkCut(text, at, borders, sizes);
    expect(chunks.startLine[i]).toBe(lineOf(document, start));
    expect(chunks.endLine[i]).toBe(lineOf(document, end - 1));
  }
  expect(auditCoverage(document, chunks).uncovered).toEqual([]);
  return chunks;
}

/** The line of the file in which a character stands, counted from the start of the text or of its raw span. */
function lineOf({ text, rawLines }: Document, at: number): number {
  const ends = (from: number) => countLineEnds(text.slice(from, at)) - Number(splitsCrLf(text, at));
  if (!rawLines) return 1 + ends(0);
  const span = rawLines.at.findLastIndex((from) => from <= at);
  return rawLines.line[span]! + (rawLines.follows[span] === 1 ? ends(rawLines.at[span]!) : 0);
}

function checkCut(text: string, at: number, borders: Set<number>, sizes: Sizes): void {
  if (borders.has(at)) return;
  // White space joins the marks behind it into one cluster; it is never part of a chunk's edge.
  if (/\s/.test(text[at - 1]!) || /\s/.test(text[at]!)) return;
  expect(isSurrogatePair(text, at)).toBe(false);
  const cluster = graphemes.segment(text).containing(at)!;
  // Only what is over the limit by itself (with room for the prefix) is cut inside.
  expect(sizes.tokenizer.count(cluster.segment)).toBeGreaterThan(Math.floor(sizes.limitTokens * 0.35));
}

function isSurrogatePair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

function countLineEnds(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

function splitsCrLf(text: string, at: number): boolean {
  return text[at - 1] === '\r' && text[at] === '\n';
}
