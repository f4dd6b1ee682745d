import { rename, rm, symlink } from 'node:fs/promises';
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

describe('what is no longer there', () => {
  const found = async (index: Awaited<ReturnType<Workplace['open']>>, word: string) =>
    (await index.search(word, { legs: { vectors: false } })).hits.map(({ documentId }) => documentId);

  it('goes when a file is emptied, of one document or of many', async () => {
    place = await workplace({
      'd/a.md': 'zebra',
      'd/r.jsonl': `${record('1', 'yak')}\n${record('2', 'yak')}`,
    });
    const index = await place.open(bagOfWords());
    await index.add(place.path('d'));
    await place.write('d/a.md', '');
    await place.write('d/r.jsonl', '');
    const report = await index.add(place.path('d'));
    expect(report.documentsRemoved).toBe(3);
    expect(await found(index, 'zebra yak')).toEqual([]);
    await index.close();
  });

  it('goes when it is excluded, ignored, or replaced by a folder or by a link that leads out', async () => {
    place = await workplace({
      'd/.git/HEAD': '',
      'd/a.md': 'zebra',
      'd/b.md': 'zebra',
      'd/c.md': 'zebra',
      'd/e.md': 'zebra',
      'd/f.md': 'zebra',
      'secret.md': 'zebra',
    });
    const index = await place.open(bagOfWords());
    await index.add(place.path('d'));
    await place.write('d/.gitignore', 'b.md\n');
    await rm(place.path('d/c.md'));
    await place.write('d/c.md/inner.txt', 'yak');
    await rm(place.path('d/e.md'));
    await symlink('../secret.md', place.path('d/e.md'));
    await index.add(place.path('d'), { exclude: ['a.md'] });
    expect(await found(index, 'zebra')).toEqual(['d/f.md']);
    // A run that names what it includes only adds and updates.
    await index.add(place.path('d'), { include: ['c.md/*'] });
    expect(await found(index, 'zebra')).toEqual(['d/f.md']);
    await index.close();
  });
});

describe('records with trouble', () => {
  const bad = (i: number) => (i === 3 ? 'poison' : `plain ${i} ${'word '.repeat(60)}`);
  const many = () => Array.from({ length: 400 }, (_, i) => record(`d${i}`, bad(i))).join('\n');

  it('are listed, and get their chance in the next run', async () => {
    place = await workplace({ 'r.jsonl': many() });
    const index = await place.open(bagOfWords({ failsAt: 'poison' }));
    expect(await index.add(place.path('r.jsonl'))).toMatchObject({ documents: 399, skipped: 1 });
    expect((await index.stats()).failedSources).toMatchObject([{ source: 'r.jsonl', status: 'partial' }]);
    await index.close();
    const healthy = await place.open(bagOfWords());
    expect(await healthy.add(place.path('r.jsonl'))).toMatchObject({ documents: 1, documentsUnchanged: 399 });
    expect((await healthy.stats()).failedSources).toEqual([]);
    await healthy.close();
  });

  it('are skipped in each run, where nothing mends them', async () => {
    place = await workplace({ 'r.jsonl': `${record('1', 'one')}\nnot json\n${record('1', 'another')}` });
    const index = await place.open(bagOfWords());
    for (let run = 0; run < 3; run++) {
      const report = await index.add(place.path('r.jsonl'));
      expect(report.skippedByCode).toEqual({ SLUICE_RECORD_INVALID: 1, SLUICE_DUPLICATE_ID: 1 });
      expect((await index.get('1'))?.text).toBe('one');
    }
    await index.close();
  });
});

describe('documents in hand', () => {
  it('come as a stream too, and one that cannot be stored leaves the others alone', async () => {
    place = await workplace();
    const index = await place.open(bagOfWords());
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    async function* stream() {
      for (let i = 0; i < 200; i++) yield { id: `s${i}`, text: `text ${i}` };
      yield { id: 'cyclic', text: 'x', metadata: cycle as never };
      yield null as never;
      yield { id: 'title', text: 'x', title: 5 as never };
      yield { id: 'odd', text: 'x', bogus: 1 } as never;
      yield { id: 's0', text: 'another text' };
    }
    const report = await index.add(stream());
    expect(report.documents).toBe(200);
    expect(report.skippedItems.map(({ source, error }) => [source, error.code])).toEqual(
      expect.arrayContaining([
        ['cyclic', 'SLUICE_RECORD_INVALID'],
        ['null', 'SLUICE_RECORD_INVALID'],
        ['title', 'SLUICE_USAGE'],
        ['odd', 'SLUICE_USAGE'],
        ['s0', 'SLUICE_DUPLICATE_ID'],
      ]),
    );
    await index.close();
  });

  it('keep their id against a file, whatever comes first', async () => {
    place = await workplace();
    const index = await place.open(bagOfWords());
    await index.add({ id: 'd/a.md', text: 'by hand' });
    await place.write('d/a.md', 'from a file');
    for (const text of ['changed by hand', 'changed again']) {
      expect((await index.add(place.path('d'))).skippedByCode).toEqual({ SLUICE_DUPLICATE_ID: 1 });
      await index.add({ id: 'd/a.md', text });
      expect((await index.get('d/a.md'))?.text).toBe(text);
    }
    await index.close();
  });
});

describe('misuse', () => {
  it.each([
    [{ exlude: ['secret/**'] }, /no option "exlude"/],
    [{ include: '*.md' }, /include must be a list/],
    [{ maxFileBytes: -1 }, /maxFileBytes/],
    [{ signal: {} }, /AbortSignal/],
    [null, /options of add/],
  ])('is refused before anything is indexed: %j', async (options, message) => {
    place = await workplace({ 'd/a.md': 'x' });
    const index = await place.open(bagOfWords());
    const run = Promise.resolve(index.add(place.path('d'), options as never));
    await expect(run).rejects.toMatchObject({
      code: 'SLUICE_USAGE',
      message: expect.stringMatching(message),
    });
    await expect(Promise.resolve(index.add(''))).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    await expect(index.remove(undefined as never)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    await expect(index.search('x', null as never)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    expect((await index.stats()).documents).toBe(0);
    await index.close();
  });

  it.each([
    [{ chunking: { limitTokens: 5_000 } }],
    [{ chunking: { strategy: 'bogus' } }],
    [{ chunking: { bogus: 1 } }],
    [{ chunking: null }],
    [{ create: 'no' }],
    [{ reranker: 5 }],
    [{ model: {} }],
  ])('of openIndex is refused: %j', async (options) => {
    place = await workplace();
    await expect(place.open(bagOfWords(), options as never)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });
});

describe('searching while documents are replaced', () => {
  it('always finds k where k exist', async () => {
    place = await workplace();
    const index = await place.open(bagOfWords());
    await index.add(Array.from({ length: 5 }, (_, i) => ({ id: `d${i}`, text: `zebra ${i}` })));
    let writing = true;
    let short = 0;
    const searcher = async () => {
      while (writing) if ((await index.search('zebra', { k: 5 })).hits.length !== 5) short++;
    };
    const searchers = Array.from({ length: 6 }, searcher);
    for (let n = 0; n < 40; n++) await index.add({ id: 'd2', text: `zebra version ${n}` });
    writing = false;
    await Promise.all(searchers);
    expect(short).toBe(0);
    await index.close();
  });
});

describe('calls side by side', () => {
  it('all see what was added before them', async () => {
    place = await workplace();
    const index = await place.open(bagOfWords());
    const ids = ['a', 'b', 'c', 'd'];
    for (let n = 0; n < 10; n++) {
      await index.add(ids.map((id) => ({ id, text: `version ${n} of ${id}` })));
      const texts = await Promise.all(ids.map(async (id) => (await index.get(id))?.text));
      expect(texts).toEqual(ids.map((id) => `version ${n} of ${id}`));
    }
    await index.close();
  });
});

describe('a root that is gone', () => {
  it('is emptied where it was indexed before, and a slip of the finger otherwise', async () => {
    place = await workplace({ 'd/a.md': 'zebra', 'notes/b.md': 'yak', 'todo.md': 'gnu' });
    const index = await place.open(bagOfWords());
    await index.add([place.path('d'), place.path('notes'), place.path('todo.md')]);
    await rm(place.path('notes'), { recursive: true });
    await rm(place.path('todo.md'));
    const report = await index.add([place.path('d'), place.path('notes'), place.path('todo.md')]);
    expect(report).toMatchObject({ filesUnchanged: 1, filesRemoved: 2, documentsRemoved: 2 });
    expect(await index.has(['d/a.md', 'notes/b.md', 'todo.md'])).toEqual([true, false, false]);
    const typo = Promise.resolve(index.add([place.path('d'), place.path('note')]));
    await expect(typo).rejects.toMatchObject({ code: 'SLUICE_NOT_FOUND' });
    await index.close();
  });
});
