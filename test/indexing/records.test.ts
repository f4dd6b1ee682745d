import { afterEach, describe, expect, it } from 'vitest';
import { bagOfWords, type Workplace, workplace } from './support.js';

let place: Workplace;
afterEach(() => place.remove());

describe('a JSONL file of many small records', () => {
  const RECORDS = 2_000;
  const line = (i: number, text = `record ${i}`) => JSON.stringify({ text });
  const lines = () => Array.from({ length: RECORDS }, (_, i) => line(i));

  it('numbers its lines through, whatever portions it is read in', async () => {
    const broken = lines();
    broken[699] = 'not json';
    broken[1_999] = '{}';
    place = await workplace({ 'r.jsonl': `${broken.join('\n')}\n` });
    const index = await place.open(bagOfWords());
    const report = await index.add(place.path('r.jsonl'));
    expect(report).toMatchObject({ documents: RECORDS - 2, skipped: 2 });
    expect(report.skippedItems.map(({ source }) => source)).toEqual(['r.jsonl:700', 'r.jsonl:2000']);
    for (const n of [1, 256, 257, 513, 1_999]) {
      expect((await index.get(`r.jsonl:${n}`))?.text).toBe(`record ${n - 1}`);
    }
    await index.close();
  });

  it('embeds the records that were edited, and forgets those that went', async () => {
    place = await workplace({ 'r.jsonl': lines().join('\n') });
    const embedder = bagOfWords();
    const index = await place.open(embedder);
    await index.add(place.path('r.jsonl'));
    const before = embedder.passages;
    const edited = lines().slice(0, -1);
    edited[3] = line(3, 'edited here');
    edited[1_500] = line(1_500, 'edited there');
    await place.write('r.jsonl', edited.join('\n'));
    expect(await index.add(place.path('r.jsonl'))).toMatchObject({
      documents: 2,
      documentsUnchanged: RECORDS - 3,
      documentsRemoved: 1,
      embedded: 2,
    });
    expect(embedder.passages - before).toBe(2);
    await index.close();
  });

  it('goes on where an aborted run stopped', async () => {
    place = await workplace({ 'r.jsonl': lines().join('\n') });
    const embedder = bagOfWords({ delayMs: 10 });
    const index = await place.open(embedder);
    const controller = new AbortController();
    const run = index.add(place.path('r.jsonl'), { signal: controller.signal });
    const stop = async () => {
      for await (const { documents } of run.progress(5)) if (documents > 300) controller.abort();
    };
    await expect(stop()).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    const { documents } = await index.stats();
    expect(documents).toBeGreaterThan(300);
    expect(documents).toBeLessThan(RECORDS);
    expect(await index.add(place.path('r.jsonl'))).toMatchObject({
      documents: RECORDS - documents,
      documentsUnchanged: documents,
    });
    await index.close();
  });
});

describe('a field that is called __proto__', () => {
  const plain = (value: unknown) => JSON.stringify(value);

  it('is kept like any other, from a file, a record and by hand', async () => {
    place = await workplace({
      'd/r.jsonl': [
        '{"id":"top","text":"one","__proto__":"kept","n":1}',
        '{"id":"inner","text":"two","metadata":{"__proto__":{"a":[1]},"o":{"__proto__":"x"}}}',
      ].join('\n'),
      'd/f.md': '---\n__proto__: here\nn: 2\n---\n\nthree',
    });
    const index = await place.open(bagOfWords());
    const metadata = JSON.parse('{"__proto__":"by hand","constructor":"c"}');
    const report = await index.add([{ id: 'hand', text: 'four', metadata }, place.path('d')]);
    expect(report).toMatchObject({ documents: 4, skipped: 0 });
    const kept: Record<string, string> = {
      top: '{"__proto__":"kept","n":1}',
      inner: '{"__proto__":{"a":[1]},"o":{"__proto__":"x"}}',
      'd/f.md': '{"__proto__":"here","n":2}',
      hand: '{"__proto__":"by hand","constructor":"c"}',
    };
    for (const [id, json] of Object.entries(kept)) {
      expect(plain((await index.get(id))?.metadata), id).toBe(json);
    }
    // A literal would set the prototype instead.
    const filter = JSON.parse('{"__proto__":"kept"}');
    const { hits } = await index.search('two', { k: 5, filter });
    expect(hits.map((hit) => plain([hit.documentId, hit.metadata]))).toEqual([`["top",${kept.top}]`]);
    // Another value is another document.
    await place.write('d/r.jsonl', '{"id":"top","text":"one","__proto__":"changed","n":1}');
    expect(await index.add(place.path('d'))).toMatchObject({ documents: 1, embedded: 0, chunksReused: 1 });
    expect(plain((await index.get('top'))?.metadata)).toBe('{"__proto__":"changed","n":1}');
    await index.close();
  });
});
