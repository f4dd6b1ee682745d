import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packTexts } from '../../src/model/text-column.js';
import { ChunkIds } from '../../src/store/chunk-id.js';
import { Committer } from '../../src/store/commit.js';
import { Gate } from '../../src/store/gate.js';
import { mergeHits } from '../../src/store/hits.js';
import { encodeKeywordTexts, KeywordTexts } from '../../src/store/keyword-texts.js';
import { countUpTo, labelsIn, makeBits } from '../../src/store/label-bits.js';
import { PAGE_UNITS, PageReader, pagesOf } from '../../src/store/pages.js';
import { createDatabase, openForWriting } from '../../src/store/schema.js';
import { SourceTable } from '../../src/store/sources.js';
import { batch, DIMS, document, newFolder, passport, randomness } from './support.js';

describe('pages', () => {
  it('cover a text without cutting a surrogate pair', () => {
    const text = `x${'😀'.repeat(PAGE_UNITS)}\u0000\ufeffé`;
    const pages = [...pagesOf(text)];
    expect(pages.map((page) => page.text).join('')).toBe(text);
    for (const { text: page } of pages) {
      expect(page.length).toBeLessThanOrEqual(PAGE_UNITS);
      expect(
        page.codePointAt(page.length - 1)! >= 0xd800 && page.codePointAt(page.length - 1)! < 0xdc00,
      ).toBe(false);
    }
  });

  it('give every span back as it was', () => {
    const next = randomness(3);
    const letters = ['a', 'é', '語', '😀', '\n', '\u0000', '\ufeff'];
    const text = Array.from({ length: 90_000 }, () => letters[Math.floor(next() * letters.length)]).join('');
    const file = join(newFolder(), 'sluice.db');
    createDatabase(file, passport(), 'pages');
    const db = openForWriting(file);
    new Committer(db, DIMS, new SourceTable(db)).apply(batch([document('long', [text])]));
    const pages = new PageReader(db);
    for (let i = 0; i < 200; i++) {
      const start = Math.floor(next() * text.length);
      const end = Math.min(text.length, start + Math.floor(next() * (i % 2 ? 300 : 80_000)));
      expect(pages.slice(1, start, end) === text.slice(start, end)).toBe(true);
    }
    db.close();
  });
});

describe('label bits', () => {
  it('set, count and list like a plain set', () => {
    const range = fc.tuple(fc.nat(300), fc.nat(90));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 5 }), fc.nat(400), (ranges, upTo) => {
        const bits = makeBits(400);
        const plain = new Set<number>();
        for (const [first, count] of ranges) {
          for (let label = first; label < first + count; label++) {
            bits[label >> 3]! |= 1 << (label & 7);
            plain.add(label);
          }
        }
        const wanted = [...plain].filter((label) => label <= upTo).sort((a, b) => a - b);
        expect([...labelsIn(bits, upTo)]).toEqual(wanted);
        expect(countUpTo(bits, upTo)).toBe(wanted.length);
      }),
    );
  });
});

describe('merging hits', () => {
  it('breaks ties by the lower label and counts a label once', () => {
    const a = { labels: Uint32Array.of(9, 4), scores: Float32Array.of(0.5, 0.25) };
    const b = { labels: Uint32Array.of(7, 2, 9), scores: Float32Array.of(0.5, 0.25, 0.5) };
    expect([...mergeHits(a, b, 3).labels]).toEqual([7, 9, 2]);
    expect([...mergeHits(b, a, 9).labels]).toEqual([7, 9, 2, 4]);
  });
});

describe('keyword texts', () => {
  it('come back whatever their relation to the chunk is', () => {
    const slices = ['plain', 'with prefix', '中文分词', '', 'x'].map((slice) => Buffer.from(slice));
    const texts = ['plain', 'Title\nwith prefix', '中文 分词', 'only prefix', ''];
    const data = encodeKeywordTexts(packTexts(texts), slices);
    const rows = new KeywordTexts(data, texts.length);
    expect(slices.map((slice) => rows.next(() => slice).toString())).toEqual(texts);
  });
});

describe('chunk ids', () => {
  it('depend on document, text and occurrence', () => {
    const ids = (id: string, texts: string[]) => {
      const chunkIds = new ChunkIds(id);
      return texts.map((text) => chunkIds.next(Buffer.from(text)));
    };
    const [a, b, again, other] = ids('d', ['same', 'else', 'same', 'same']);
    expect(new Set([a, b, again, other]).size).toBe(4);
    expect(a).toMatch(/^[0-9a-f]{20}$/);
    expect(ids('d', ['new first chunk', 'same', 'same'])).toEqual([expect.anything(), a, again]);
    expect(ids('e', ['same'])[0]).not.toBe(a);
    expect(ids('d1', ['x'])[0]).not.toBe(ids('d', ['1x'])[0]);
  });
});

describe('the gate', () => {
  it('runs shared calls side by side and exclusive ones alone', async () => {
    const gate = new Gate();
    const log: string[] = [];
    const run = (name: string) => async () => {
      log.push(`+${name}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push(`-${name}`);
    };
    await Promise.all([
      gate.shared(run('a')),
      gate.shared(run('b')),
      gate.exclusive(run('X')),
      gate.shared(run('c')),
      gate.exclusive(run('Y')),
      gate.exclusive(() => Promise.reject(new Error('fails'))).catch(() => log.push('fails')),
      gate.shared(run('d')),
    ]);
    const at = (entry: string) => log.indexOf(entry);
    expect(at('+b')).toBeLessThan(at('-a'));
    expect(at('+X')).toBeGreaterThan(Math.max(at('-a'), at('-b')));
    for (const other of ['a', 'b', 'c', 'd', 'Y']) {
      expect(at(`+${other}`) > at('-X') || at(`-${other}`) < at('+X')).toBe(true);
      expect(other === 'Y' || at(`+${other}`) > at('-Y') || at(`-${other}`) < at('+Y')).toBe(true);
    }
    expect(log).toContain('fails');
  });
});
