import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DocumentRecord } from '../../src/model/document-record.js';
import { isSealed, sealRecord, unsealRecord } from '../../src/model/sealed-record.js';
import { packTexts } from '../../src/model/text-column.js';
import { textHash } from '../../src/model/text-hash.js';

const column = (rows: number, seed: number) => Uint32Array.from({ length: rows }, (_, i) => i * 7 + seed);

/** Columns that are views into a larger buffer, as they may be after a trip through another thread. */
function record(id: string, rows: string[]): DocumentRecord {
  const shared = new Uint32Array(rows.length * 2 + 3);
  shared.set(column(rows.length, 3), 1);
  return {
    id,
    source: `${id}.md`,
    title: 'A title',
    format: 'markdown',
    metadata: { n: 1, list: [null, 'x'], nested: { deep: true } },
    contentHash: 'abc',
    text: new TextEncoder().encode(rows.join('\n')),
    chunks: {
      start: shared.subarray(1, rows.length + 1),
      end: column(rows.length, 4),
      tokens: column(rows.length, 5),
      startLine: column(rows.length, 6),
      endLine: column(rows.length, 7),
      page: column(rows.length, 1),
      parentStart: column(rows.length, 2),
      parentEnd: column(rows.length, 9),
      kind: new Uint8Array(rows.length).fill(2),
      headingPath: rows.map((row) => `› ${row}`),
      overLimit: Uint8Array.from(rows, (_, i) => i % 2),
      embeddingText: packTexts(rows),
    },
    keywordText: packTexts(rows),
    embeddingHashes: new Uint8Array(32).fill(7),
  };
}

describe('sealRecord', () => {
  it('gives the record back without its embedding text, and says what is in it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.array(fc.string({ unit: 'binary' })), (id, rows) => {
        const original = record(id, rows);
        const sealed = sealRecord(original);
        expect(sealed).toMatchObject({
          id,
          source: `${id}.md`,
          contentHash: 'abc',
          rows: rows.length,
          overLimit: Math.floor(rows.length / 2),
          textBytes: original.text.byteLength,
          textHash: textHash(original.text),
        });
        expect(sealed.bytes.byteLength).toBe(sealed.bytes.buffer.byteLength);
        const empty = { bytes: new Uint8Array(0), offsets: new Uint32Array(1) };
        const { chunks } = original;
        expect(unsealRecord(sealed)).toEqual({ ...original, chunks: { ...chunks, embeddingText: empty } });
      }),
    );
  });

  it('is told apart from a record', () => {
    const plain = record('a', ['x']);
    expect(isSealed(plain)).toBe(false);
    expect(isSealed(sealRecord(plain))).toBe(true);
  });
});
