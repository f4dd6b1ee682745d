/** The keyword index against a plain model: what is in, what is found, in which order, and what survives. */

import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NativeKeywordReader, NativeKeywordWriter } from '../../src/native/contract.js';
import {
  bitsOf,
  codeOf,
  columns,
  expectOrdered,
  labelsFrom,
  native,
  randomNumbers,
  temporaryFolder,
} from './support.js';

const folder = temporaryFolder();
let folders = 0;
const newPath = (): string => join(folder, `index-${folders++}`);
const open = (path: string, threads = 1): NativeKeywordWriter =>
  native.KeywordWriter.open(path, threads, 20_000_000);
const add = (writer: NativeKeywordWriter, texts: Record<number, string>): Promise<void> =>
  writer.add(Uint32Array.from(Object.keys(texts), Number), ...columns(Object.values(texts)));

/** An index of the texts, labelled in order, and a reader of it. */
async function indexed(texts: string[], threads = 1): Promise<NativeKeywordReader> {
  const path = newPath();
  const writer = open(path, threads);
  await writer.add(labelsFrom(0, texts.length), ...columns(texts));
  await writer.commit('');
  await writer.close();
  return native.KeywordReader.open(path);
}

async function found(reader: NativeKeywordReader, query: string, k = 1000, allow: Uint8Array | null = null) {
  const hits = await reader.search(query, k, allow);
  expectOrdered(hits);
  return [...hits.labels];
}

describe('searching', () => {
  it('finds any of the words, in any form', async () => {
    const reader = await indexed(['The cats are running', 'A dog ran home', 'Nothing here']);
    expect(await found(reader, 'cat')).toEqual([0]);
    expect(new Set(await found(reader, 'Dogs, cats!'))).toEqual(new Set([0, 1]));
    expect(await found(reader, 'zebra')).toEqual([]);
  });

  it('gives nothing for an empty query, k = 0, or an empty index', async () => {
    const reader = await indexed(['some text']);
    for (const query of ['', '   ', '?!… 🙂']) expect(await found(reader, query)).toEqual([]);
    expect(await found(reader, 'text', 0)).toEqual([]);
    expect(await found(reader, 'text', 4_000_000_000)).toEqual([0]);
    expect(await found(await indexed([]), 'text')).toEqual([]);
  });

  it('treats the words of a query language as words', async () => {
    const reader = await indexed(['a AND b', 'title text', 'x*y "quoted" ~2']);
    expect(await found(reader, 'AND')).toEqual([0]);
    expect(await found(reader, 'title:text +missing -text')).toEqual([1]);
    expect(await found(reader, '"quoted')).toEqual([2]);
    expect(await found(reader, '*')).toEqual([]);
  });

  it('counts a repeated word of the query more, less with every repetition', async () => {
    const reader = await indexed(['one two', 'three']);
    const score = async (query: string) => (await reader.search(query, 1, null)).scores[0]!;
    const once = await score('one');
    expect(await score('one One')).toBeCloseTo(once * 1.8, 4);
    expect(await score('one ONE, one')).toBeCloseTo((once * 27) / 11, 4);
    expect(await score('one '.repeat(10_000))).toBeLessThan(once * 9);
    expect(await score('one two')).toBeCloseTo(once * 2, 4);
  });

  it('does not depend on the order of words', async () => {
    const random = randomNumbers(3);
    const words = Array.from({ length: 12 }, (_, i) => `w${i}`);
    const reader = await indexed(
      Array.from({ length: 500 }, () => words.filter(() => random() < 0.3).join(' ')),
      2,
    );
    const forwards = await reader.search(words.join(' '), 500, null);
    expect(await reader.search(words.toReversed().join(' '), 500, null)).toEqual(forwards);
  });

  it.each([
    ['仓库 钥匙 在 抽屉', '钥匙', '门'],
    ['カレンダー更新手順', 'カレンダー', 'テレビ'],
    ['도서관이용안내', '이용', '학교'],
    ['更新build-job后', 'job', 'jo'],
    ['更新build-job后', 'build-job', 'bob'],
    ['ห้องสมุดเปิดทุกวัน', 'สมุด', 'รถไฟ'],
    ['ﬁnancial oﬃce', 'financial', 'ofice'],
    ['naïve café', 'cafe', 'care'],
    ['error E1043 again', 'e1043', '1043'],
    ["the dog's bone", 'dog', 's'],
    ['ΟΔΟΣ Άνθρωπος', 'οδος', 'οδοι'],
    ['Straße', 'STRASSE', 'strase'],
  ])('%s is found by %s and not by %s', async (text, query, other) => {
    const reader = await indexed([text, 'something else']);
    expect(await found(reader, query)).toEqual([0]);
    expect(await found(reader, other)).toEqual([]);
  });

  it('finds k allowed documents though the forbidden ones rank higher', async () => {
    // 60 documents with the word; the 30 excluded ones repeat it.
    const texts = Array.from({ length: 60 }, (_, i) => (i % 2 ? 'needle' : 'needle '.repeat(20)));
    const reader = await indexed(texts, 2);
    const allowed = [...labelsFrom(0, 60)].filter((label) => label % 2 === 1);
    for (const k of [1, 5, 30, 100]) {
      expect(await found(reader, 'needle', k, bitsOf(allowed))).toEqual(allowed.slice(0, k));
    }
    expect(await found(reader, 'needle', 5, bitsOf([41]))).toEqual([41]);
    expect(await found(reader, 'needle', 5, bitsOf([]))).toEqual([]);
    expect(await found(reader, 'needle', 5, bitsOf([70, 3]))).toEqual([3]);
  });

  it('gives the same hits and scores by every plan', async () => {
    const random = randomNumbers(5);
    const word = () => `w${Math.floor(random() ** 3 * 200)}`;
    const path = newPath();
    const writer = open(path, 2);
    for (let batch = 0; batch < 4; batch++) {
      const texts = Array.from({ length: 1000 }, () =>
        Array.from({ length: 1 + random() * 30 }, word).join(' '),
      );
      await writer.add(labelsFrom(batch * 1000, 1000), ...columns(texts));
      await writer.remove(Uint32Array.from({ length: 50 }, () => Math.floor(random() * 4000)));
      await writer.commit('');
    }
    await writer.close();
    const reader = native.KeywordReader.open(path);
    for (let trial = 0; trial < 60; trial++) {
      const query = `${word()} ${word()} ${word()}`;
      const all = await reader.search(query, 5000, null);
      expectOrdered(all);
      const share = [0.002, 0.05, 0.5][trial % 3]!;
      const allow = bitsOf([...labelsFrom(0, 4000)].filter(() => random() < share));
      const kept = [...all.labels.keys()].filter(
        (i) => allow[all.labels[i]! >> 3]! & (1 << (all.labels[i]! & 7)),
      );
      for (const k of [1, 10, 5000]) {
        const hits = await reader.search(query, k, allow);
        expect([...hits.labels]).toEqual(kept.slice(0, k).map((i) => all.labels[i]));
        expect([...hits.scores]).toEqual(kept.slice(0, k).map((i) => all.scores[i]));
        const first = await reader.search(query, k, null);
        expect(first.labels).toEqual(all.labels.subarray(0, k));
        expect(first.scores).toEqual(all.scores.subarray(0, k));
      }
    }
  });

  it('orders equal scores by label, over all segments', async () => {
    const path = newPath();
    const writer = open(path, 2);
    const labels = [50, 3, 41, 7, 22, 8, 90, 1];
    for (const label of labels) {
      await add(writer, { [label]: 'the same text' });
      await writer.commit('');
    }
    await writer.close();
    const reader = native.KeywordReader.open(path);
    const ascending = labels.toSorted((a, b) => a - b);
    for (const query of ['same', 'the same text', 'text other']) {
      for (const k of [1, 3, 8]) expect(await found(reader, query, k)).toEqual(ascending.slice(0, k));
    }
  });
});

describe('scores', () => {
  /** BM25 as tantivy writes it, in plain loops; k1 1.2, b 0.75, k3 8. Lengths up to 40 words are kept exactly. */
  function bm25(texts: string[][], query: string[]): Map<number, number> {
    const average = texts.reduce((sum, words) => sum + words.length, 0) / texts.length;
    const scores = new Map<number, number>();
    for (const word of new Set(query)) {
      const holders = texts.filter((words) => words.includes(word)).length;
      const repeated = query.filter((w) => w === word).length;
      const idf =
        (Math.log(1 + (texts.length - holders + 0.5) / (holders + 0.5)) * repeated * 9) / (8 + repeated);
      texts.forEach((words, label) => {
        const frequency = words.filter((w) => w === word).length;
        if (frequency === 0) return;
        const norm = 1.2 * (1 - 0.75 + (0.75 * words.length) / average);
        scores.set(label, (scores.get(label) ?? 0) + (idf * 2.2 * frequency) / (frequency + norm));
      });
    }
    return scores;
  }

  it('equal a plain BM25', async () => {
    const word = fc.constantFrom('ax', 'bx', 'cx', 'dx', 'ex', 'fx', 'gx');
    const text = fc.array(word, { maxLength: 12 });
    const property = fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 25 }),
      fc.array(word, { minLength: 1, maxLength: 4 }),
      async (texts, query) => {
        const reader = await indexed(texts.map((words) => words.join(' ')));
        const { labels, scores } = await reader.search(query.join(' '), 100, null);
        const expected = bm25(texts, query);
        expect(new Set(labels)).toEqual(new Set(expected.keys()));
        labels.forEach((label, i) => {
          expect(scores[i]).toBeCloseTo(expected.get(label)!, 4);
        });
        await reader.close();
      },
    );
    await fc.assert(property, { numRuns: 40 });
  });

  it.each([
    ['only empty documents', ['', '', ''], []],
    ['one empty and one normal', ['', 'word'], [1]],
    ['identical documents', ['word word', 'word word', 'word word'], [0, 1, 2]],
    ['one document', ['word'], [0]],
    ['punctuation and one word', ['…', '!!', 'word'], [2]],
  ])('are finite with %s', async (_, texts, expected) => {
    expect(await found(await indexed(texts), 'word')).toEqual(expected);
  });
});

describe('writing', () => {
  it('shows a commit only after a refresh, whole, with its payload', async () => {
    const path = newPath();
    const writer = open(path);
    const reader = native.KeywordReader.open(path);
    expect(reader.payload).toBe('');
    await add(writer, { 1: 'alpha' });
    await reader.refresh();
    expect(await found(reader, 'alpha')).toEqual([]);
    await writer.commit('{"generation":1}');
    expect([reader.payload, await found(reader, 'alpha')]).toEqual(['', []]);
    await reader.refresh();
    expect([reader.payload, await found(reader, 'alpha')]).toEqual(['{"generation":1}', [1]]);
    await writer.commit('ünïcode 🙂');
    await reader.refresh();
    expect(reader.payload).toBe('ünïcode 🙂');
    await writer.commit('');
    await reader.refresh();
    expect(reader.payload).toBe('');
    await writer.close();
    await reader.close();
  });

  it('removes and never brings back', async () => {
    // A rare and a frequent word: the query that has brought deleted documents back elsewhere.
    const path = newPath();
    const writer = open(path);
    await add(
      writer,
      Object.fromEntries(Array.from({ length: 15 }, (_, i) => [i, i ? 'common' : 'common rare'])),
    );
    await writer.commit('');
    await writer.remove(Uint32Array.of(5, 99));
    await writer.commit('');
    const reader = native.KeywordReader.open(path);
    const expected = [...labelsFrom(0, 15)].filter((label) => label !== 5);
    expect(await found(reader, 'rare common')).toEqual(expected);
    for (let round = 0; round < 20; round++) {
      await add(writer, { [100 + round]: 'common' });
      await writer.commit('');
      await reader.refresh();
      expect(await found(reader, 'rare common', 3, bitsOf([5]))).toEqual([]);
    }
    await writer.close();
  });

  it('drops what was not committed', async () => {
    const path = newPath();
    const writer = open(path);
    await add(writer, { 1: 'kept' });
    await writer.commit('one');
    await add(writer, { 2: 'lost' });
    await writer.remove(Uint32Array.of(1));
    await writer.close();
    const again = open(path);
    await again.commit('two');
    await again.close();
    const reader = native.KeywordReader.open(path);
    expect([reader.payload, await found(reader, 'kept lost')]).toEqual(['two', [1]]);
  });

  it('adds after removing the same label in one commit', async () => {
    const path = newPath();
    const writer = open(path, 2);
    await add(writer, { 1: 'old words' });
    await writer.commit('');
    await writer.remove(Uint32Array.of(1));
    await add(writer, { 1: 'new words' });
    await writer.commit('');
    const reader = native.KeywordReader.open(path);
    expect(await found(reader, 'old')).toEqual([]);
    expect(await found(reader, 'new')).toEqual([1]);
    await writer.close();
  });

  it('lets one writer in at a time', async () => {
    const path = newPath();
    const writer = open(path);
    expect(await codeOf(() => open(path))).toBe('SLUICE_INDEX_LOCKED');
    await writer.close();
    const next = open(path);
    await next.close();
  });

  it('is closed for good', async () => {
    const path = newPath();
    const writer = open(path);
    await writer.commit('x');
    const reader = native.KeywordReader.open(path);
    const searching = reader.search('x', 1, null);
    await Promise.all([writer.close(), writer.close(), reader.close(), reader.close()]);
    expect((await searching).labels).toHaveLength(0);
    const CLOSED = 'SLUICE_INDEX_CLOSED';
    expect(await codeOf(() => add(writer, { 1: 'x' }))).toBe(CLOSED);
    expect(await codeOf(() => writer.remove(Uint32Array.of(1)))).toBe(CLOSED);
    expect(await codeOf(() => writer.commit('y'))).toBe(CLOSED);
    expect(await codeOf(() => reader.search('x', 1, null))).toBe(CLOSED);
    expect(await codeOf(() => reader.refresh())).toBe(CLOSED);
    expect(await codeOf(() => reader.payload)).toBe(CLOSED);
    await writer.close();
    await reader.close();
  });

  it('swallows any text', async () => {
    const monsters = [
      'a'.repeat(100_000),
      '字'.repeat(50_000),
      'の'.repeat(50_000),
      '\u0301'.repeat(10_000),
      '🙂'.repeat(10_000),
      `${'ab '.repeat(30_000)}`,
      '\0\u0001\ufffd\ufeff',
      'ﷺ'.repeat(2_000),
      `e${'\u0301'.repeat(1000)}nd`,
    ];
    const reader = await indexed(monsters);
    expect(await found(reader, 'a'.repeat(100_000))).toEqual([0]);
    expect(await found(reader, 'の'.repeat(3))).toEqual([2]);
    expect(await found(reader, 'ab')).toEqual([5]);
    expect(await found(reader, 'end')).toEqual([8]);
    await fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        for (const term of native.analyze(text)) {
          expect(term.length).toBeGreaterThan(0);
          expect(Buffer.byteLength(term)).toBeLessThanOrEqual(255);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('opening', () => {
  it('tells what is not there, not an index, or damaged', async () => {
    expect(await codeOf(() => native.KeywordReader.open(join(folder, 'nowhere')))).toBe('SLUICE_NOT_FOUND');
    expect(await codeOf(() => native.KeywordReader.open(folder))).toBe('SLUICE_NOT_FOUND');
    const path = newPath();
    const writer = open(path);
    await add(writer, { 1: 'word' });
    await writer.commit('');
    await writer.close();
    const segment = readdirSync(path).find((name) => name.endsWith('.idx') || name.endsWith('.term'))!;
    truncateSync(join(path, segment), 10);
    expect(await codeOf(() => native.KeywordReader.open(path).search('word', 1, null))).toMatch(
      /^SLUICE_(INDEX_CORRUPT|NATIVE_FAILED)$/,
    );
    rmSync(join(path, segment));
    expect(await codeOf(() => native.KeywordReader.open(path).search('word', 1, null))).toBe(
      'SLUICE_INDEX_CORRUPT',
    );
    writeFileSync(join(path, 'meta.json'), '{"half":');
    expect(await codeOf(() => native.KeywordReader.open(path))).toBe('SLUICE_INDEX_CORRUPT');
    expect(await codeOf(() => open(path))).toBe('SLUICE_INDEX_CORRUPT');
  });

  it('comes back to the last commit', async () => {
    const path = newPath();
    for (let round = 1; round <= 5; round++) {
      const writer = open(path, 2);
      await add(writer, { [round]: `word round${round}` });
      await writer.commit(String(round));
      await writer.close();
      const reader = native.KeywordReader.open(path);
      expect(reader.payload).toBe(String(round));
      expect(await found(reader, 'word')).toEqual([...labelsFrom(1, round)]);
      await reader.close();
    }
  });
});

type Step =
  | { kind: 'add'; words: number[][] }
  | { kind: 'remove'; picks: number[] }
  | { kind: 'commit' }
  | { kind: 'refresh' }
  | { kind: 'reopen' };

it('behaves like a map under random use', async () => {
  const words = ['alpha', 'beta', 'gamma', 'delta'];
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('add' as const),
        words: fc.array(fc.array(fc.nat(3), { maxLength: 6 }), { maxLength: 8 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('remove' as const),
        picks: fc.array(fc.nat(), { maxLength: 5 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('commit' as const) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('refresh' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
  );
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 25 }),
    fc.constantFrom(1, 2),
    async (steps, threads) => {
      const path = newPath();
      let writer = open(path, threads);
      const reader = native.KeywordReader.open(path);
      let pending = new Map<number, Set<string>>();
      let committed = new Map(pending);
      let seen = new Map(pending);
      let payloads = { committed: '', seen: '' };
      let next = 0;
      for (const step of steps) {
        if (step.kind === 'add') {
          const labels = labelsFrom(next, step.words.length);
          next += step.words.length;
          const texts = step.words.map((picks) => picks.map((pick) => words[pick]!));
          await writer.add(labels, ...columns(texts.map((text) => text.join(' '))));
          texts.forEach((text, i) => {
            pending.set(labels[i]!, new Set(text));
          });
        } else if (step.kind === 'remove') {
          const labels = step.picks.map((pick) => (next === 0 ? 0 : pick % next));
          await writer.remove(Uint32Array.from(labels));
          for (const label of labels) pending.delete(label);
        } else if (step.kind === 'commit') {
          payloads.committed = `commit of ${next}`;
          await writer.commit(payloads.committed);
          committed = new Map(pending);
        } else if (step.kind === 'reopen') {
          await writer.close();
          writer = open(path, threads);
          pending = new Map(committed);
        } else {
          await reader.refresh();
          seen = committed;
          payloads = { ...payloads, seen: payloads.committed };
        }
        expect(reader.payload).toBe(payloads.seen);
        for (const word of words) {
          const expected = [...seen].filter(([, text]) => text.has(word)).map(([label]) => label);
          expect((await found(reader, word)).toSorted((a, b) => a - b)).toEqual(
            expected.toSorted((a, b) => a - b),
          );
        }
      }
      await writer.close();
      await reader.close();
      rmSync(path, { recursive: true });
    },
  );
  await fc.assert(property, { numRuns: 40 });
});

it('keeps payload and content together while commits and refreshes race', async () => {
  const path = newPath();
  const writer = open(path, 2);
  await writer.commit('0');
  const reader = native.KeywordReader.open(path);
  let committing = true;
  const commits = (async () => {
    for (let round = 1; round <= 40; round++) {
      await writer.add(Uint32Array.of(round), ...columns(['word']));
      await writer.commit(String(round));
    }
    committing = false;
  })();
  let looks = 0;
  while (committing) {
    await reader.refresh();
    // Both are read of one snapshot: nothing refreshes in between.
    const [payload, hits] = [reader.payload, reader.search('word', 100, null)];
    expect((await hits).labels).toHaveLength(Number(payload));
    looks++;
  }
  await commits;
  await reader.refresh();
  expect(reader.payload).toBe('40');
  expect(looks).toBeGreaterThan(3);
  await writer.close();
});
