import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterAt, splitsSurrogates } from '../../src/chunking/audit-graphemes.js';
import { auditChunks, type ChunkRule } from '../../src/chunking/index.js';
import type { ChunkColumns } from '../../src/model/chunk.js';
import { packTexts, unpackTexts } from '../../src/model/text-column.js';
import { chunk } from './checks.js';
import { plain, wildMarkdown } from './fixtures.js';
import { byteTokenizer, wordTokenizer } from './tokenizers.js';

const text = 'one two 👍🏽 three\n\nfour five cafe\u0301 six\n\nseven eight nine';
const document = plain(text);
const contract = { limitTokens: 3, tokenizer: wordTokenizer };
const chunks = chunk(document, { strategy: 'window', ...contract });

/** The rules that the columns break once they are changed. */
function broken(change: Partial<ChunkColumns>): ChunkRule[] {
  const changed = { ...chunks, ...change };
  return [...new Set(auditChunks(document, changed, contract).map(({ rule }) => rule))];
}

/** A column with another number in one row. */
function withRow<T extends Uint32Array | Uint8Array>(column: T, row: number, value: number): T {
  const copy = column.slice() as T;
  copy[row] = value;
  return copy;
}

/** Columns whose spans are changed and whose texts and tokens are true for them. */
function respanned(start: Uint32Array, end: Uint32Array): Partial<ChunkColumns> {
  const texts = Array.from(start, (from, row) => text.slice(from, end[row]));
  return {
    start,
    end,
    parentStart: start,
    parentEnd: end,
    embeddingText: packTexts(texts),
    tokens: Uint32Array.from(texts, (slice) => wordTokenizer.count(slice)),
  };
}

describe('the audit of chunks', () => {
  it('finds nothing in chunks as they are cut', () => {
    expect(chunks.start.length).toBeGreaterThan(3);
    expect(broken({})).toEqual([]);
  });

  it('names lost text', () => {
    const end = withRow(chunks.end, 0, chunks.end[0]! - 2);
    expect(broken(respanned(chunks.start, end))).toContain('lost');
  });

  it('names spans out of range or order', () => {
    expect(broken({ end: withRow(chunks.end, 1, text.length + 1) })).toContain('range');
    expect(broken({ start: withRow(chunks.start, 1, chunks.end[1]!) })).toContain('range');
    expect(broken({ parentStart: withRow(chunks.parentStart, 1, chunks.end[1]!) })).toEqual(['range']);
    expect(broken({ startLine: withRow(chunks.startLine, 1, 0) })).toEqual(['range']);
    expect(broken({ page: withRow(chunks.page, 0, 9) })).toEqual(['range']);
    expect(broken({ kind: withRow(chunks.kind, 0, 99) })).toEqual(['range']);
  });

  it('names an empty chunk', () => {
    const blank = text.indexOf('\n\n');
    const start = withRow(chunks.start, 0, blank);
    expect(broken(respanned(start, withRow(chunks.end, 0, blank + 2)))).toContain('empty');
  });

  it('names a cut inside a surrogate pair and inside a character', () => {
    const thumb = text.indexOf('👍🏽');
    const cutAt = (at: number) => {
      const row = chunks.start.findIndex((start, i) => start < at && chunks.end[i]! > at);
      return broken(respanned(chunks.start, withRow(chunks.end, row, at)));
    };
    expect(cutAt(thumb + 1)).toContain('surrogate');
    expect(cutAt(thumb + 2)).toContain('grapheme');
    expect(cutAt(thumb + 2)).not.toContain('surrogate');
    expect(cutAt(text.indexOf('\u0301'))).toContain('grapheme');
  });

  it('lets a character be cut that is over the limit by itself', () => {
    const marks = plain(`a${'\u0301'.repeat(40)} b`);
    const small = { limitTokens: 3, tokenizer: byteTokenizer };
    expect(auditChunks(marks, chunk(marks, { strategy: 'window', ...small }), small)).toEqual([]);
  });

  it('names texts for models that do not end with the slice, and counts that are not theirs', () => {
    const texts = unpackTexts(chunks.embeddingText);
    expect(broken({ embeddingText: packTexts(texts.with(0, texts[0]!.toUpperCase())) })).toEqual(['slice']);
    expect(broken({ embeddingText: packTexts(texts.slice(1)) })).toEqual(['slice']);
    expect(broken({ tokens: withRow(chunks.tokens, 1, 1) })).toEqual(['tokens']);
  });

  it('names a flag that is missing or wrong', () => {
    expect(broken({ overLimit: withRow(chunks.overLimit, 0, 1) })).toEqual(['limit']);
    const long = chunk(document, { strategy: 'whole', ...contract });
    expect(auditChunks(document, long, contract)).toEqual([]);
    const unflagged = { ...long, overLimit: new Uint8Array(1) };
    expect(auditChunks(document, unflagged, contract).map(({ rule }) => rule)).toEqual(['limit']);
  });

  it('finds nothing in any document that is cut by any strategy', () => {
    fc.assert(
      fc.property(
        wildMarkdown,
        fc.constantFrom('auto' as const, 'structure' as const, 'window' as const, 'whole' as const),
        fc.constantFrom(wordTokenizer, byteTokenizer),
        fc.integer({ min: 1, max: 40 }),
        (given, strategy, tokenizer, limitTokens) => {
          const sizes = { limitTokens, tokenizer };
          const cut = chunk(given, { strategy, overlapTokens: Math.floor(limitTokens * 0.15), ...sizes });
          expect(auditChunks(given, cut, sizes)).toEqual([]);
        },
      ),
    );
  });
});

describe('characters as readers see them', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const unit = fc.constantFrom(
    ...[
      'a',
      ' ',
      '\n',
      '\r\n',
      '\r',
      'é',
      'e\u0301',
      '\u0301',
      '👍🏽',
      '👨‍👩‍👧',
      '🇩🇪',
      '🇫',
      '漢',
      '각',
      'ᄀ',
      'ᅡ',
      '\u200d',
      'क्षि',
    ],
  );
  it('are those of the segmentation of the whole text', () => {
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), fc.integer({ min: 0, max: 2000 }), (units, padding) => {
        const whole = 'x'.repeat(padding) + units.join('');
        const borders = new Set([...segmenter.segment(whole)].map(({ index }) => index)).add(whole.length);
        for (let at = padding; at <= whole.length; at++) {
          const { index, segment } = segmenter.segment(whole).containing(at) ?? { index: at, segment: '' };
          const expected = borders.has(at) ? undefined : { start: index, end: index + segment.length };
          expect(clusterAt(whole, at)).toEqual(expected);
          const pair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(whole.slice(Math.max(0, at - 1), at + 1));
          expect(splitsSurrogates(whole, at)).toBe(pair);
        }
      }),
    );
  });
});
