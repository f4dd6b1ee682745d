import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from '../../src/model/edit-distance.js';

const word = fc.string({ maxLength: 8 });

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['lang', 'langg', 1],
    ['lnag', 'lang', 1],
    ['exlude', 'exclude', 1],
    ['kitten', 'sitting', 3],
  ])('from %s to %s is %d', (a, b, distance) => expect(editDistance(a, b)).toBe(distance));

  it('is symmetric, 0 only for equal words, and stops counting at the limit', () => {
    fc.assert(
      fc.property(word, word, fc.nat(4), (a, b, limit) => {
        const distance = editDistance(a, b);
        expect(editDistance(b, a)).toBe(distance);
        expect(distance === 0).toBe(a === b);
        const limited = editDistance(a, b, limit);
        if (distance <= limit) expect(limited).toBe(distance);
        else expect(limited).toBeGreaterThan(limit);
      }),
    );
  });
});
