import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch, checkPatch } from '../src/metadata-patch.js';
import type { JsonValue, Metadata } from '../src/model/document.js';
import { evaluateFilter, parseFilter } from '../src/store/index.js';

const METADATA: Metadata = { lang: 'en', author: { name: 'ada', 'x.y': 1 }, 'a.b': 1, tags: ['t'] };

describe('applyPatch', () => {
  it.each<[string, object, Metadata]>([
    ['sets a new field', { set: { year: 2024 } }, { ...METADATA, year: 2024 }],
    ['sets null, which is not missing', { set: { lang: null } }, { ...METADATA, lang: null }],
    [
      'sets inside an object',
      { set: { 'author.name': 'bob' } },
      { ...METADATA, author: { name: 'bob', 'x.y': 1 } },
    ],
    [
      'makes objects on the way',
      { set: { 'review.by.name': 'eve' } },
      { ...METADATA, review: { by: { name: 'eve' } } },
    ],
    ['sets a key with a dot where there is one', { set: { 'a.b': 2 } }, { ...METADATA, 'a.b': 2 }],
    [
      'removes',
      { unset: ['lang', 'author.x.y', 'nothing'] },
      { author: { name: 'ada' }, 'a.b': 1, tags: ['t'] },
    ],
    [
      'removes before it sets',
      { unset: ['author'], set: { 'author.id': 1 } },
      { ...METADATA, author: { id: 1 } },
    ],
  ])('%s', (_, patch, expected) => {
    const before = structuredClone(METADATA);
    expect(applyPatch(METADATA, patch)).toEqual(expected);
    expect(METADATA).toEqual(before);
  });

  it('keeps the order of the fields, so that an equal value changes nothing', () => {
    expect(JSON.stringify(applyPatch(METADATA, { set: { 'author.name': 'ada' } }))).toBe(
      JSON.stringify(METADATA),
    );
  });

  it('refuses to put a field into what is no object', () => {
    expect(() => applyPatch(METADATA, { set: { 'lang.code': 'en' } })).toThrow(
      /"lang.code" cannot be set: "lang" is "en", not an object/,
    );
  });

  it('takes __proto__ for a name like any other', () => {
    const patched = applyPatch({}, { set: { '__proto__.x': 1 } });
    expect(Object.keys(patched)).toEqual(['__proto__']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  const key = fc.constantFrom('a', 'b', 'a.b', '__proto__');
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<JsonValue>(1, 'x', null, true),
      fc.dictionary(key, tie('value'), { maxKeys: 2 }),
    ),
  }));
  const field = fc.constantFrom('a', 'b', 'a.b', 'a.b.a', 'b.a');
  const filterHolds = (filter: object, metadata: Metadata) =>
    evaluateFilter(parseFilter(filter), { id: '', source: '', title: '', format: 'text', metadata });

  it('does what filters see: what was set is found by its name, what was unset is missing', () => {
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 3 }), field, (given, name) => {
        const metadata = given as Metadata;
        const without = applyPatch(metadata, { unset: [name] });
        expect(filterHolds({ [name]: { exists: false } }, without)).toBe(true);
        let set: Metadata;
        try {
          set = applyPatch(metadata, { set: { [name]: 'new' } });
        } catch (error) {
          expect((error as Error).message).toContain('not an object');
          return;
        }
        expect(filterHolds({ [name]: 'new' }, set)).toBe(true);
      }),
    );
  });
});

describe('checkPatch', () => {
  it.each<[unknown, RegExp]>([
    [undefined, /must be an object/],
    [{}, /changes nothing/],
    [{ set: {}, unset: [] }, /changes nothing/],
    [{ sett: {} }, /has no "sett"/],
    [{ set: [] }, /set must be an object/],
    [{ unset: 'a' }, /unset must be a list/],
    [{ unset: [1] }, /named by a string/],
    [{ set: { a: undefined } }, /"a" cannot be set to undefined/],
    [{ set: { a: Number.NaN } }, /"a" cannot be set to NaN/],
    [{ set: { a: [new Date(0)] } }, /it is no JSON/],
    [{ set: { $title: 'x' } }, /"\$title" is of the document itself/],
    [{ unset: [Array(12).fill('a').join('.')] }, /more than 10 parts/],
  ])('refuses %j', (patch, message) => {
    expect(() => checkPatch(patch)).toThrow(message);
  });
});
