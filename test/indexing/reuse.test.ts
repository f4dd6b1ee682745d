import { rename, rm, utimes } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { callerEmbedder } from '../../src/embedding/index.js';
import { bagOfWords, type Workplace, workplace } from './support.js';

let place: Workplace;
afterEach(() => place.remove());

/** Sections of some 40 words each, so that each is a chunk of its own. */
const sections = (words: string[]) =>
  `# Manual\n\n${words.map((word, i) => `## Part ${i}\n\n${`${word} `.repeat(40)}\n`).join('\n')}`;

describe('vectors that are known', () => {
  it('are used again for all of a document but the paragraph that was edited', async () => {
    place = await workplace({ 'd/manual.md': sections(['oak', 'elm', 'ash', 'fir', 'yew']) });
    const embedder = bagOfWords();
    const index = await place.open(embedder);
    const before = embedder.passages;
    const first = await index.add(place.path('d'));
    expect(first).toMatchObject({ chunksReused: 0, embedded: first.chunks });
    expect(first.chunks).toBeGreaterThanOrEqual(5);
    await place.write('d/manual.md', sections(['oak', 'elm', 'box', 'fir', 'yew']));
    const second = await index.add(place.path('d'));
    expect(second).toMatchObject({ documents: 1, chunksReused: first.chunks - 1, embedded: 1 });
    expect(embedder.passages - before).toBe(first.chunks + 1);
    // Back again: the version before the last is dead, but not purged.
    await place.write('d/manual.md', sections(['oak', 'elm', 'ash', 'fir', 'yew']));
    expect(await index.add(place.path('d'))).toMatchObject({
      chunksReused: first.chunks,
      embedded: 0,
      tokens: 0,
    });
    expect((await index.search('ash', { k: 1 })).hits[0]?.text).toContain('ash');
    await index.close();
  });

  it('go with a file that moves, and are made anew where its name is part of the text', async () => {
    place = await workplace({ 'd/a.md': '# Trees\n\noak and elm', 'd/b.txt': 'ash and fir' });
    const embedder = bagOfWords();
    const index = await place.open(embedder);
    await index.add(place.path('d'));
    const before = embedder.passages;
    await rename(place.path('d/a.md'), place.path('d/renamed.md'));
    await place.write('d/sub/b.txt', 'ash and fir');
    await rm(place.path('d/b.txt'));
    const moved = await index.add(place.path('d'));
    expect(moved).toMatchObject({ documents: 2, filesRemoved: 2, chunksReused: 2, embedded: 0 });
    expect(embedder.passages).toBe(before);
    expect(await index.has(['d/a.md', 'd/renamed.md', 'd/b.txt', 'd/sub/b.txt'])).toEqual([
      false,
      true,
      false,
      true,
    ]);
    // A text file is called by its name, which the embedder reads.
    await rename(place.path('d/sub/b.txt'), place.path('d/sub/c.txt'));
    expect(await index.add(place.path('d'))).toMatchObject({ chunksReused: 0, embedded: 1 });
    await index.close();
  });

  it('serve the same content at two paths, new in one run or in two, and each path lives by itself', async () => {
    const text = sections(['oak', 'elm', 'ash']);
    place = await workplace({ 'd/a.md': text, 'd/b.md': text, 'd/z/c.md': text });
    const embedder = bagOfWords();
    const index = await place.open(embedder);
    const before = embedder.passages;
    const first = await index.add(place.path('d'));
    expect(first).toMatchObject({ documents: 3, chunksReused: (first.chunks * 2) / 3 });
    expect(embedder.passages - before).toBe(first.chunks / 3);
    await place.write('d/later.md', text);
    expect(await index.add(place.path('d'))).toMatchObject({ documents: 1, embedded: 0 });
    const { hits } = await index.search('elm', { k: 20, legs: { vectors: false }, collapse: 'none' });
    expect(new Set(hits.map(({ source }) => source))).toEqual(
      new Set(['d/a.md', 'd/b.md', 'd/z/c.md', 'd/later.md']),
    );
    await rm(place.path('d/a.md'));
    await index.add(place.path('d'));
    expect(await index.has(['d/a.md', 'd/b.md'])).toEqual([false, true]);
    expect((await index.get('d/b.md'))?.text).toBe(text);
    await index.close();
  });

  it('are shared by copies that are far apart in one run, while the first waits for its commit', async () => {
    const copies = Array.from({ length: 300 }, (_, i) => ({
      id: `c${i}`,
      title: 'Same',
      text: 'one text for all',
    }));
    place = await workplace();
    const embedder = bagOfWords({ delayMs: 2 });
    const index = await place.open(embedder);
    const before = embedder.passages;
    expect(await index.add(copies)).toMatchObject({ documents: 300, embedded: 1, chunksReused: 299 });
    expect(embedder.passages - before).toBe(1);
    await index.close();
  });

  it('are not waited for where the first of two copies fails', async () => {
    place = await workplace();
    let failures = 0;
    const embedder = callerEmbedder({
      model: 'fails twice',
      dims: 2,
      windowTokens: 64,
      embed: (texts) => {
        if (failures-- > 0) throw new Error('not now');
        return texts.map(() => [1, 0]);
      },
    });
    const index = await place.open(embedder);
    // The call for all, and the first one's own: the second is tried by itself.
    failures = 2;
    const twins = ['a', 'b'].map((id) => ({ id, title: 'T', text: 'the same' }));
    expect(await index.add(twins)).toMatchObject({ documents: 1, skippedByCode: { SLUICE_MODEL_FAILED: 1 } });
    expect(await index.has(['a', 'b'])).toEqual([false, true]);
    await index.close();
  });
});

describe('a file that was touched', () => {
  it('is read, not embedded, and costs a stat from then on', async () => {
    place = await workplace({ 'd/a.md': '# A\n\noak', 'd/b.md': '# B\n\nelm' });
    const embedder = bagOfWords();
    const index = await place.open(embedder);
    const before = embedder.passages;
    await index.add(place.path('d'));
    const { generation } = await index.stats();
    await utimes(place.path('d/a.md'), new Date(), new Date(Date.now() + 5_000));
    expect(await index.add(place.path('d'))).toMatchObject({
      filesDone: 1,
      filesUnchanged: 1,
      documentsUnchanged: 1,
      embedded: 0,
      generation,
    });
    expect(await index.add(place.path('d'))).toMatchObject({ filesDone: 0, filesUnchanged: 2, generation });
    expect(embedder.passages - before).toBe(2);
    await index.close();
  });
});

describe('a file that another one is moved over', () => {
  it('is read again, though both have one size and one time of writing', async () => {
    place = await workplace({ 'd/a.md': 'oak', 'd/b.md': 'elm' });
    const time = new Date('2024-01-01');
    for (const name of ['d/a.md', 'd/b.md']) await utimes(place.path(name), time, time);
    const index = await place.open(bagOfWords());
    await index.add(place.path('d'));
    await rename(place.path('d/b.md'), place.path('d/a.md'));
    expect(await index.add(place.path('d'))).toMatchObject({ documents: 1, filesRemoved: 1 });
    expect((await index.get('d/a.md'))?.text).toBe('elm');
    await index.close();
  });
});

describe('a document whose new version cannot be embedded', () => {
  it('answers as it was, is listed, and is tried again in the next run', async () => {
    place = await workplace({ 'd/a.md': '# A\n\noak', 'd/b.md': '# B\n\nelm' });
    const index = await place.open(bagOfWords({ failsAt: 'poison' }));
    await index.add(place.path('d'));
    await place.write('d/a.md', '# A\n\nash poison');
    for (let run = 0; run < 2; run++) {
      const report = await index.add(place.path('d'));
      expect(report).toMatchObject({ filesUnchanged: 1, filesFailed: 1, documents: 0 });
      expect(report.skippedItems).toMatchObject([
        { source: 'd/a.md', error: { code: 'SLUICE_EMBEDDING_INVALID' } },
      ]);
      expect((await index.stats()).failedSources).toMatchObject([{ source: 'd/a.md', status: 'failed' }]);
      expect((await index.search('oak')).hits[0]?.documentId).toBe('d/a.md');
      expect((await index.get('d/a.md'))?.text).toContain('oak');
    }
    await index.close();
    const healthy = await place.open(bagOfWords());
    expect(await healthy.add(place.path('d'))).toMatchObject({ filesUnchanged: 1, documents: 1, skipped: 0 });
    expect((await healthy.stats()).failedSources).toEqual([]);
    expect((await healthy.get('d/a.md'))?.text).toContain('ash poison');
    await healthy.close();
  });
});
