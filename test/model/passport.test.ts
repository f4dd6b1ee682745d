import { expect, it } from 'vitest';
import { cutsAlike, hasParents } from '../../src/model/passport.js';

it('takes chunkers for alike that differ in nothing but their version', () => {
  const cut = (version: number, limit = 254) =>
    `auto(limit=${limit},overlap=38,tokenizer=wordpiece:da0e,v${version})`;
  expect(cutsAlike(cut(1), cut(2))).toBe(true);
  expect(cutsAlike(cut(1), cut(1))).toBe(true);
  expect(cutsAlike(cut(1), cut(2, 100))).toBe(false);
  // Of a caller's own names nothing is known.
  expect(cutsAlike('mine-v1', 'mine-v2')).toBe(false);
});

it('knows an index that was cut in parents and children', () => {
  expect(hasParents({ chunker: 'parent-child(limit=254,overlap=40,parents=1500,v2)' })).toBe(true);
  expect(hasParents({ chunker: 'window(limit=254,overlap=38,v2)' })).toBe(false);
  // What the passport says goes before what a name looks like.
  expect(hasParents({ chunker: 'module(mine-1)', parents: true })).toBe(true);
  expect(hasParents({ chunker: 'parent-child(limit=254,v2)', parents: false })).toBe(false);
});
