import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/model/document.js';
import type { Filter } from '../../src/model/filter.js';
import { withoutField } from '../../src/retrieval/missing-fields.js';
import { evaluateFilter, parseFilter } from '../../src/store/index.js';

const scalar = fc.constantFrom(0, 1, 'x', '', true, null);
const operators = fc.record(
  {
    eq: scalar,
    ne: scalar,
    in: fc.array(scalar, { maxLength: 2 }),
    nin: fc.array(scalar, { maxLength: 2 }),
    gt: fc.constantFrom(0, 'a'),
    lte: fc.constantFrom(0, 'a'),
    overlaps: fc.array(scalar, { maxLength: 2 }),
    contains: fc.array(scalar, { maxLength: 2 }),
    prefix: fc.constantFrom('', 'x'),
    exists: fc.boolean(),
  },
  { requiredKeys: [] },
);
const condition = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 2 }),
  operators.filter((one) => Object.keys(one).length > 0),
);
const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small' },
    fc.dictionary(fc.constantFrom('gone', 'a', '$id'), condition, { maxKeys: 3 }),
    fc.record({ and: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ not: tie('filter') }),
  ) as fc.Arbitrary<Filter>,
}));

const holds = (one: Filter, metadata: Metadata) =>
  evaluateFilter(parseFilter(one), { id: 'x', source: '', title: '', format: 'text', metadata });

function names(one: unknown): string[] {
  if (typeof one !== 'object' || one === null) return [];
  return Object.entries(one).flatMap(([key, value]) => [key, ...names(value)]);
}

describe('withoutField', () => {
  it('means the same for documents that lack the field, and names it no more', () => {
    fc.assert(
      fc.property(filter, fc.dictionary(fc.constant('a'), scalar), (given, metadata) => {
        const known = withoutField(given, 'gone');
        expect(holds(known, metadata)).toBe(holds(given, metadata));
        expect(names(known)).not.toContain('gone');
      }),
    );
  });
});
