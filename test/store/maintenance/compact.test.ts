import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactIndex, openStore, verifyIndex } from '../../../src/store/index.js';
import { batch, document, newFolder, newStore } from '../support.js';
import { answersOf, filesIn, filledFolder, GRAPH, query } from './fixture.js';

const GRAPH_AT = { graphThreshold: 20 };

function sizeOf(folder: string): number {
  return filesIn(folder).reduce((total, file) => total + statSync(file).size, 0);
}

/** Files whose bytes hold a word, as UTF-8 or UTF-16. */
function holding(folder: string, word: string): string[] {
  return filesIn(folder).filter((file) => {
    const bytes = readFileSync(file);
    return bytes.includes(word) || bytes.includes(Buffer.from(word, 'utf16le'));
  });
}

describe('compact', () => {
  it('erases removed text from every byte of every file (S13)', async () => {
    const folder = newFolder();
    const store = await newStore({ ...GRAPH }, folder);
    const writer = await store.writer();
    const state = { size: 1, mtimeMs: 1, status: 'done' as const, error: null };
    await writer.rootName('/somewhere/xylophonroot/private');
    const others = Array.from({ length: 60 }, (_, i) =>
      document(`d${i}`, [`alpha ${i} ${'common words '.repeat(40)}`]),
    );
    const secret = document('private/xylophonid.md', ['the xylophontext is here', 'and xylophontext again'], {
      source: 'private/xylophonid.md',
      title: 'xylophontitle',
      metadata: { xylophonfield: 'xylophonvalue' },
    });
    await writer.commit(batch([...others, secret], [], [{ source: 'private/xylophonid.md', ...state }]));
    await writer.publish();
    // A new version, new metadata, then gone.
    await writer.commit({ ...batch([]), updateMetadata: [{ id: 'd3', metadata: { was: 'xylophonmeta' } }] });
    await writer.commit({ ...batch([]), updateMetadata: [{ id: 'd3', metadata: { was: 'other' } }] });
    await writer.commit(batch([document('d4', ['xylophonversion'])]));
    await writer.commit(batch([document('d4', ['alpha again'])], ['private/xylophonid.md']));
    await writer.publish();
    expect(holding(folder, 'xylophon')).not.toEqual([]);
    const report = await writer.compact();
    expect(report).toMatchObject({ erased: true });
    expect(holding(folder, 'xylophon')).toEqual([]);
    await store.close();
    expect(holding(folder, 'xylophon')).toEqual([]);
    expect(holding(folder, 'common')).not.toEqual([]);
    expect(await verifyIndex(folder)).toMatchObject({ ok: true });
  });

  it('changes no answer but the scores, and its keyword index is one segment', async () => {
    const folder = await filledFolder();
    const before = await answersOf(folder);
    const report = await compactIndex(folder, GRAPH_AT);
    expect(report.bytesAfter).toBe(sizeOf(folder));
    const after = await answersOf(folder);
    const ids = (found: typeof before.found) =>
      Object.fromEntries(
        Object.entries(found).map(([name, hits]) => [name, hits.map(({ id }) => id).sort()]),
      );
    expect(ids(after.found)).toEqual(ids(before.found));
    expect({ ...after, found: {} }).toEqual({ ...before, found: {} });
    const segments = filesIn(join(folder, 'keywords')).filter((file) => file.endsWith('.term'));
    expect(segments).toHaveLength(1);
    expect(query(folder, 'SELECT key FROM documents WHERE died IS NOT NULL')).toEqual([]);
    expect(await verifyIndex(folder)).toMatchObject({ ok: true });
    // And it goes on living.
    const store = await openStore(folder, GRAPH);
    const writer = await store.writer();
    await writer.commit(batch([document('new', ['alpha new'])]));
    await writer.publish();
    await store.close();
    expect(await verifyIndex(folder)).toMatchObject({ ok: true });
  });

  it('leaves the scores of a fresh index, whatever happened before (K7)', async () => {
    const words = fc.array(fc.constantFrom('alpha', 'number7', 'late', 'gone', 'other'), {
      minLength: 1,
      maxLength: 60,
    });
    const steps = fc.array(fc.record({ id: fc.integer({ min: 0, max: 5 }), words, remove: fc.boolean() }), {
      minLength: 3,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const [folder, fresh] = [newFolder(), newFolder()];
        const store = await newStore(GRAPH, folder);
        const writer = await store.writer();
        const live = new Map<string, string>();
        for (const { id, words, remove } of list) {
          const name = `d${id}`;
          live.delete(name);
          if (!remove) live.set(name, words.join(' '));
          await writer.commit(remove ? batch([], [name]) : batch([document(name, [words.join(' ')])]));
          await writer.publish();
        }
        await writer.compact();
        await store.close();
        const again = await newStore(GRAPH, fresh);
        const other = await again.writer();
        await other.commit(batch([...live].map(([id, text]) => document(id, [text]))));
        await again.close();
        expect((await answersOf(folder)).found).toEqual((await answersOf(fresh)).found);
      }),
      { numRuns: Number(process.env.SLUICE_LONG ?? 0) > 0 ? 100 : 5 },
    );
  });

  it('keeps the disk at its live data, however often it runs (S6)', async () => {
    const folder = await filledFolder();
    await compactIndex(folder, GRAPH_AT);
    const once = sizeOf(folder);
    const store = await openStore(folder, GRAPH);
    const writer = await store.writer();
    for (let round = 0; round < 50; round++) {
      await writer.commit(batch([document('docs/7.md', [`alpha number7 version${round}`])]));
      await writer.compact();
    }
    await store.close();
    expect(sizeOf(folder)).toBeLessThan(once * 2);
  });

  it('tells readers of an older state to refresh, and then serves them', async () => {
    const folder = await filledFolder();
    const store = await openStore(folder, GRAPH);
    const writer = await store.writer();
    const reader = await store.reader();
    const before = await reader.select(undefined);
    await writer.commit(batch([document('docs/7.md', ['alpha number7 changed'])], ['docs/8.md']));
    await writer.publish();
    // Its rows are still there.
    expect(await reader.has(['docs/8.md'])).toEqual([true]);
    await writer.compact();
    const gone = { code: 'SLUICE_SNAPSHOT_GONE', details: { generation: 3, purgedUntil: 4 } };
    await expect(reader.has(['docs/8.md'])).rejects.toMatchObject(gone);
    await expect(reader.document('docs/7.md')).rejects.toMatchObject(gone);
    await expect(reader.select({ n: 1 })).rejects.toMatchObject(gone);
    await expect(reader.stats()).rejects.toMatchObject(gone);
    const hits = await reader.searchKeywords('alpha', 3, before);
    await expect(reader.chunks(hits.labels)).rejects.toMatchObject(gone);
    await reader.refresh();
    expect(await reader.has(['docs/8.md', 'docs/7.md'])).toEqual([false, true]);
    expect((await reader.document('docs/7.md'))!.text).toBe('alpha number7 changed');
    await store.close();
  });

  it('is not a purge: that spares what a reader still looks at', async () => {
    const store = await newStore();
    const writer = await store.writer();
    const round = (n: number) =>
      batch(Array.from({ length: 600 }, (_, i) => document(`d${i}`, [`alpha ${n} ${i}`])));
    await writer.commit(round(0));
    await writer.publish();
    const reader = await store.reader();
    for (let n = 1; n < 5; n++) {
      await writer.commit(round(n));
      await writer.publish();
    }
    expect((await reader.document('d1'))!.text).toBe('alpha 0 1');
    await reader.refresh();
    expect((await reader.document('d1'))!.text).toBe('alpha 4 1');
  });
});

describe('after a compaction', () => {
  it('the same writer goes on: what it replaces and removes is gone from the keyword index', async () => {
    const folder = newFolder();
    const store = await newStore({}, folder);
    const writer = await store.writer();
    const some = (from: number, step: number, word: string) =>
      Array.from({ length: 20 }, (_, i) => document(`d${from + i * step}`, [`${word} ${i}`]));
    await writer.commit(batch([...some(0, 2, 'old'), ...some(1, 2, 'old')]));
    await writer.publish();
    await writer.commit(batch(some(0, 2, 'newer'), ['d1']));
    await writer.publish();
    await writer.compact();
    await writer.commit(batch(some(0, 2, 'newest'), ['d3']));
    await writer.publish();
    const reader = await store.reader();
    const all = await reader.select(undefined);
    expect(all.count).toBe(38);
    expect((await reader.searchKeywords('newer', 99, all)).labels).toHaveLength(0);
    expect((await reader.searchKeywords('newest', 99, all)).labels).toHaveLength(20);
    expect((await reader.searchKeywords('old', 99, all)).labels).toHaveLength(18);
    await store.close();
    expect((await verifyIndex(folder)).findings).toEqual([]);
  });
});
