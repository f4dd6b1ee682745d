import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PagedText } from '../../src/store/paged-text.js';

it('a text in pieces is sliced as the whole one', () => {
  const pages = fc.array(fc.string({ unit: 'binary', maxLength: 5 }), { maxLength: 12 });
  fc.assert(
    fc.property(pages, fc.nat(70), fc.nat(70), (given, start, length) => {
      const text = new PagedText();
      for (const page of given) text.add(page);
      const whole = given.join('');
      expect(text.whole()).toBe(whole);
      expect(text.slice(start, start + length)).toBe(whole.slice(start, start + length));
    }),
  );
});
