import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countBelow, countUpTo } from '../../src/model/sorted.js';

it('counts what stands below a value, and up to it, as a look at each does', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30)), fc.nat(31), (numbers, at) => {
      const ascending = Uint32Array.from(numbers).sort();
      expect(countBelow(ascending, at)).toBe(numbers.filter((one) => one < at).length);
      expect(countUpTo([...ascending], at)).toBe(numbers.filter((one) => one <= at).length);
    }),
  );
});
