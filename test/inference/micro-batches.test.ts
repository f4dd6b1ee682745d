import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyRows, planBatches } from '../../src/inference/micro-batches.js';
import { packTexts, unpackTexts } from '../../src/model/text-column.js';

const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 60 });

describe('micro-batches', () => {
  it('hold every row once, in order, within their limits', () => {
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 90 }),
        (rows, most, bytes) => {
          const column = packTexts(rows);
          const seen: string[] = [];
          for (const [from, to] of planBatches(column, { rows: most, bytes })) {
            const batch = copyRows(column, from, to, '');
            expect(to - from).toBeGreaterThan(0);
            expect(to - from).toBeLessThanOrEqual(most);
            if (to - from > 1) expect(batch.bytes.length).toBeLessThanOrEqual(bytes);
            seen.push(...unpackTexts(batch));
          }
          expect(seen).toEqual(unpackTexts(column));
        },
      ),
    );
  });

  it('carry the prefix before every row', () => {
    const column = packTexts(['one', '', 'three']);
    expect(unpackTexts(copyRows(column, 1, 3, 'q: '))).toEqual(['q: ', 'q: three']);
  });

  it('never share memory with the column, so that they can be transferred', () => {
    const pooled = Buffer.from('one two');
    const shared = new Uint8Array(new SharedArrayBuffer(7));
    shared.set(pooled);
    for (const bytes of [pooled, shared]) {
      const copy = copyRows({ bytes, offsets: Uint32Array.of(0, 3, 7) }, 0, 2, '');
      expect(copy.bytes.buffer).toBeInstanceOf(ArrayBuffer);
      expect(copy.bytes.buffer).not.toBe(bytes.buffer);
      expect(unpackTexts(copy)).toEqual(['one', ' two']);
    }
  });
});
