import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../../src/documents/content-hash.js';
import { makeDocument } from '../../src/documents/read.js';

const document = {
  title: 't',
  format: 'text' as const,
  metadata: { a: 1, b: { c: [1, 2], d: null } },
  text: 'x',
};

describe('contentHash', () => {
  it('is stable, and blind to the order of keys and to where a document lies', () => {
    const hash = contentHash(document);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(contentHash({ ...document, metadata: { b: { d: null, c: [1, 2] }, a: 1 } })).toBe(hash);
    const at = (id: string) => contentHash(makeDocument({ id, title: 't', text: 'x' }));
    expect(at('one')).toBe(at('two'));
  });

  it.each([
    { ...document, title: 'u' },
    { ...document, format: 'code' as const },
    { ...document, text: 'y' },
    { ...document, pages: Uint32Array.of(0) },
    { ...document, rawLines: { at: Uint32Array.of(0), line: Uint32Array.of(3), follows: Uint8Array.of(0) } },
    { ...document, metadata: { ...document.metadata, b: { c: [2, 1], d: null } } },
    { ...document, metadata: { a: '1', b: { c: [1, 2], d: null } } },
  ])('changes with the content %#', (changed) => {
    expect(contentHash(changed)).not.toBe(contentHash(document));
  });

  it('keeps objects and lists apart', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same =
          contentHash({ ...document, metadata: { v: a as never } }) ===
          contentHash({ ...document, metadata: { v: b as never } });
        if (same) expect(canonical(a)).toBe(canonical(b));
      }),
    );
  });
});

/** Slow twin: JSON with sorted keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)}}`;
}
