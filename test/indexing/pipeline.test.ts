import { rename, rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/errors.js';
import { bagOfWords, type Workplace, workplace } from './support.js';

let place: Workplace;
afterEach(() => place.remove());

const record = (id: string, text: string) => JSON.stringify({ id, text });

describe('adding', () => {
  it('replaces a changed document, leaves others alone, and removes what vanished', async () => {
    place = await workplace({
      'docs/a.md': '# A\n\nalpha',
      'docs/b.md': '# B\n\nbeta',
      'docs/c.md': '# C\n\ngamma',
    });
    const embedder = bagOfWords();
    const index = await place.open(embedder);
    await index.add(place.path('docs'));
    const before = embedder.passages;
    await place.write('docs/b.md', '# B\n\nbeta delta and more');
    await rm(place.path('docs/c.md'));
    const report = await index.add(place.path('docs'));
    expect(report).toMatchObject({
      filesUnchanged: 1,
      filesDone: 1,
      filesRemoved: 1,
      documents: 1,
      documentsRemoved: 1,
    });
    expect(embedder.passages - before).toBe(1);
    expect((await index.search('delta')).hits[0]?.documentId).toBe('docs/b.md');
    expect(await index.has(['docs/a.md', 'docs/b.md', 'docs/c.md'])).toEqual([true, true, false]);
    const found = await index.search('gamma', { legs: { vectors: false } });
    expect(found.hits).toEqual([]);
    await index.close();
  });

  it('drops the records that a JSONL file lost, and embeds only new ones', async () => {
    place = await workplace({
      'docs/r.jsonl': [record('1', 'one'), record('2', 'two'), record('3', 'three')].join('\n'),
    });
    const embedder = bagOfWords();
    const index = await place.open(embedder);
    await index.add(place.path('docs'));
    const before = embedder.passages;
    await place.write(
      'docs/r.jsonl',
      [record('1', 'one'), record('3', 'three, changed'), record('4', 'four')].join('\n'),
    );
    const report = await index.add(place.path('docs'));
    expect(report).toMatchObject({ documents: 2, documentsUnchanged: 1, documentsRemoved: 1 });
    expect(embedder.passages - before).toBe(2);
    expect(await index.has(['1', '2', '3', '4'])).toEqual([true, false, true, true]);
    await index.close();
  });

  it('gives a moved JSONL file its ids back', async () => {
    place = await workplace({ 'docs/old.jsonl': record('1', 'one') });
    const index = await place.open(bagOfWords());
    await index.add(place.path('docs'));
    await rename(place.path('docs/old.jsonl'), place.path('docs/new.jsonl'));
    const report = await index.add(place.path('docs'));
    expect(report.skippedItems).toEqual([]);
    expect((await index.get('1'))?.source).toBe('docs/new.jsonl');
    await index.close();
  });

  it('keeps two folders of the same name apart', async () => {
    place = await workplace({ 'x/docs/a.md': '# X\n\nalpha', 'y/docs/a.md': '# Y\n\nbeta' });
    const index = await place.open(bagOfWords());
    await index.add([place.path('x/docs'), place.path('y/docs')]);
    const again = await index.add([place.path('y/docs'), place.path('x/docs')]);
    expect(again).toMatchObject({ filesUnchanged: 2, documents: 0 });
    expect((await index.stats()).documents).toBe(2);
    await index.close();
  });

  it('takes documents in hand, again and again, and refuses an id that a file holds', async () => {
    place = await workplace({ 'docs/a.md': '# A\n\nalpha' });
    const index = await place.open(bagOfWords());
    await index.add({ id: 'faq', text: 'first answer', metadata: { n: 0 } });
    await index.add([{ id: 'faq', text: 'second answer' }, place.path('docs')]);
    expect((await index.get('faq'))?.text).toBe('second answer');
    const clash = await index.add({ id: 'docs/a.md', text: 'mine' });
    expect(clash.skippedByCode).toEqual({ SLUICE_DUPLICATE_ID: 1 });
    await place.write('docs/faq.md', '# A file');
    await index.add({ id: 'docs/faq.md', text: 'by hand' });
    const other = await index.add(place.path('docs'));
    expect(other.skippedByCode).toEqual({ SLUICE_DUPLICATE_ID: 1 });
    expect((await index.get('docs/faq.md'))?.text).toBe('by hand');
    const empty = await index.add({ id: 'none', text: '  ' });
    expect(empty.skippedByCode).toEqual({ SLUICE_DOCUMENT_EMPTY: 1 });
    await index.close();
  });

  it('stores nine of ten when the embedder returns NaN for one, and names the tenth', async () => {
    const files = Array.from({ length: 10 }, (_, i) => [
      `docs/${i}.md`,
      `# File ${i}\n\n${i === 4 ? 'poison' : 'plain'}`,
    ]);
    place = await workplace(Object.fromEntries(files));
    const index = await place.open(bagOfWords({ failsAt: 'poison' }));
    const report = await index.add(place.path('docs'));
    expect(report).toMatchObject({ documents: 9, filesDone: 9, filesFailed: 1, skipped: 1 });
    expect(report.skippedItems).toMatchObject([
      { source: 'docs/4.md', error: { code: 'SLUICE_EMBEDDING_INVALID' } },
    ]);
    const { failedSources } = await index.stats();
    expect(failedSources.map(({ source }) => source)).toEqual(['docs/4.md']);
    await index.close();
  });

  it('keeps the old version of a document whose new one cannot be embedded', async () => {
    place = await workplace({ 'docs/a.md': '# A\n\nalpha' });
    const index = await place.open(bagOfWords({ failsAt: 'poison' }));
    await index.add(place.path('docs'));
    await place.write('docs/a.md', '# A\n\npoison now');
    await index.add(place.path('docs'));
    expect((await index.search('alpha')).hits[0]?.text).toContain('alpha');
    await index.close();
  });
});

describe('an aborted run', () => {
  it('rejects with its report, leaves a usable index, and goes on where it stopped', async () => {
    const files = Array.from({ length: 400 }, (_, i) => [
      `docs/${i}.md`,
      `# File ${i}\n\n${'some words '.repeat(300)}`,
    ]);
    place = await workplace(Object.fromEntries(files));
    const embedder = bagOfWords({ delayMs: 5 });
    const index = await place.open(embedder);
    const controller = new AbortController();
    const run = index.add(place.path('docs'), { signal: controller.signal });
    const watch = async () => {
      for await (const { documents } of run.progress(10)) if (documents > 50) controller.abort();
    };
    await expect(watch()).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    const error = await run.then(
      () => undefined,
      (thrown: unknown) => thrown as SluiceError,
    );
    expect(error).toMatchObject({ code: 'SLUICE_ABORTED' });
    const { documents } = error!.details.report as { documents: number };
    expect(documents).toBeGreaterThan(50);
    expect(documents).toBeLessThan(400);
    expect((await index.search('some words', { k: 3 })).hits).toHaveLength(3);
    const rest = await index.add(place.path('docs'));
    expect(rest).toMatchObject({ filesUnchanged: documents, documents: 400 - documents });
    expect((await index.stats()).documents).toBe(400);
    await index.close();
  });

  it('ends when the index is closed', async () => {
    const files = Array.from({ length: 200 }, (_, i) => [
      `docs/${i}.md`,
      `# File ${i}\n\n${'some words '.repeat(200)}`,
    ]);
    place = await workplace(Object.fromEntries(files));
    const index = await place.open(bagOfWords({ delayMs: 5 }));
    const run = index.add(place.path('docs'));
    for await (const { documents } of run.progress(10)) if (documents > 0) break;
    await index.close();
    await expect(Promise.resolve(run)).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    await expect(index.search('x')).rejects.toMatchObject({ code: 'SLUICE_INDEX_CLOSED' });
    await index.close();
  });
});

describe('openIndex', () => {
  it.each([
    [{ modle: 'x' }, /no option "modle"/],
    [{ threads: 0 }, /threads/],
  ])('refuses %j', async (options, message) => {
    place = await workplace();
    const { openIndex } = await import('../../src/index.js');
    await expect(openIndex(place.path('index'), options as never)).rejects.toThrow(message);
  });

  it('refuses another embedder and needs a foreign one again', async () => {
    place = await workplace({ 'docs/a.md': '# A\n\nalpha' });
    const index = await place.open(bagOfWords());
    await index.add(place.path('docs'));
    await index.close();
    const { openIndex } = await import('../../src/index.js');
    await expect(openIndex(place.path('index'), { model: 'all-MiniLM-L6-v2' })).rejects.toMatchObject({
      code: 'SLUICE_PASSPORT_MISMATCH',
    });
    const without = await openIndex(place.path('index'));
    // Keywords need no model; vectors do, and the answer says so.
    const answer = await without.search('alpha', { rerank: false });
    expect(answer.hits).toHaveLength(1);
    expect(answer.legs.vectors.error?.code).toBe('SLUICE_USAGE');
    await without.close();
    expect(SluiceError.is(answer.legs.vectors.error)).toBe(false);
  });
});
