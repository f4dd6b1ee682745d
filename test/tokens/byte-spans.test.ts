import fc from 'fast-check';
import { expect, it } from 'vitest';
import { spansFromByteLengths } from '../../src/tokens/byte-spans.js';

it('finds the positions of tokens of any byte length', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'ö', '漢', '🙂', '\ud800')),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      (characters, steps) => {
        const text = characters.join('');
        // The slow twin: which character holds each byte.
        const owner: { start: number; end: number }[] = [];
        for (let at = 0; at < text.length; ) {
          const character = String.fromCodePoint(text.codePointAt(at)!);
          const bytes = new TextEncoder().encode(character).length;
          for (let i = 0; i < bytes; i++) owner.push({ start: at, end: at + character.length });
          at += character.length;
        }
        const lengths: number[] = [];
        for (let at = 0, i = 0; at < owner.length; i++) {
          const length = Math.min(steps[i % steps.length]!, owner.length - at);
          lengths.push(length);
          at += length;
        }
        const { start, end } = spansFromByteLengths(text, lengths);
        let at = 0;
        for (const [i, length] of lengths.entries()) {
          expect([start[i], end[i]]).toEqual([owner[at]!.start, owner[at + length - 1]!.end]);
          at += length;
        }
      },
    ),
  );
});
