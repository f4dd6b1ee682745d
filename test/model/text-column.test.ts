import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  joinTexts,
  packTexts,
  pickTexts,
  sliceTexts,
  textAt,
  textCount,
  unpackTexts,
} from '../../src/model/text-column.js';

const anyText = fc.string({ unit: 'binary' });

describe('TextColumn', () => {
  it('gives back what was packed', () => {
    fc.assert(
      fc.property(fc.array(anyText), (texts) => {
        expect(unpackTexts(packTexts(texts))).toEqual(texts);
      }),
    );
  });

  it('keeps a byte order mark and replaces a lone surrogate by one unit', () => {
    const column = packTexts(['\uFEFFa', 'x\uD800y']);
    expect(textAt(column, 0)).toBe('\uFEFFa');
    expect(textAt(column, 1)).toBe('x\uFFFDy');
  });

  it('slices rows into buffers of their own', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1 }), fc.nat(), fc.nat(), (texts, a, b) => {
        const from = Math.min(a, b) % texts.length;
        const to = Math.max(from, Math.max(a, b) % texts.length);
        const part = sliceTexts(packTexts(texts), from, to);
        expect(textCount(part)).toBe(to - from);
        expect(unpackTexts(part)).toEqual(texts.slice(from, to));
        expect(part.offsets.byteOffset).toBe(0);
      }),
    );
  });
});

describe('joinTexts', () => {
  it('is the inverse of slicing', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyText)), (groups) => {
        expect(unpackTexts(joinTexts(groups.map(packTexts)))).toEqual(groups.flat());
      }),
    );
  });
});

describe('pickTexts', () => {
  it('takes rows in any order, in buffers of their own', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1 }), fc.array(fc.nat()), (texts, picks) => {
        const rows = Uint32Array.from(picks, (pick) => pick % texts.length);
        const picked = pickTexts(packTexts(texts), rows);
        expect(unpackTexts(picked)).toEqual([...rows].map((row) => texts[row]));
        expect(picked.bytes.byteLength).toBe(picked.bytes.buffer.byteLength);
      }),
    );
  });
});
