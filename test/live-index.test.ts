import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { callerEmbedder } from '../src/embedding/index.js';
import { openIndex } from '../src/open-index.js';
import { newFolder, newIndex, toyModel } from './index-support.js';
import { vectorOf } from './store/support.js';

const CHILD = fileURLToPath(new URL('./writing-child.mjs', import.meta.url));

describe('reads and writes of one index', () => {
  it('a search sees what another process had committed before it, at once', async () => {
    const folder = newFolder();
    const child = spawn(process.execPath, [CHILD, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await lines.next();
    const reading = await openIndex(folder, { readonly: true, reranker: false });
    for (let n = 1; n <= 20; n++) {
      child.stdin.write('\n');
      await lines.next();
      const { hits } = await reading.search('alpha', { k: 100, legs: { vectors: false } });
      expect(hits).toHaveLength(n);
    }
    child.stdin.end();
    await reading.close();
    await once(child, 'exit');
  });

  it('a read sees own changes at once', async () => {
    const index = await newIndex();
    for (let n = 1; n <= 10; n++) {
      await index.add({ id: `d${n}`, text: 'alpha' });
      expect(await index.count()).toEqual({ documents: n, chunks: n });
      await index.update(`d${n}`, { set: { n } });
      expect((await index.get(`d${n}`))?.metadata).toEqual({ n });
    }
  });
});

/** A toy model that never answers for texts that hold the word, whatever its signal says. */
function deafModel(word: string) {
  return callerEmbedder({
    model: 'toy',
    dims: 16,
    windowTokens: 256,
    embed: (texts) =>
      texts.some((text) => text.includes(word))
        ? new Promise<never>(() => {})
        : texts.map((text) => vectorOf(text, 16)),
  });
}

describe('what never ends by itself', () => {
  it('a stream that waits ends with an abort, and with close', async () => {
    const index = await newIndex();
    let ended = 0;
    async function* waiting() {
      yield { id: 'a', text: 'alpha' };
      await new Promise(() => {});
      yield { id: 'b', text: 'beta' };
    }
    const abort = new AbortController();
    const aborted = index.add(waiting(), { signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    await expect(aborted).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    async function* open() {
      try {
        for (let n = 0; ; n++) yield { id: `d${n}`, text: `delta ${n}` };
      } finally {
        ended++;
      }
    }
    const second = new AbortController();
    setTimeout(() => second.abort(), 50);
    await expect(index.add(open(), { signal: second.signal })).rejects.toMatchObject({
      code: 'SLUICE_ABORTED',
    });
    expect(ended).toBe(1);
    const closed = index.add(waiting());
    setTimeout(() => index.close(), 50);
    await expect(closed).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
  });

  it('neither close nor an abort waits for an embedder that never answers', async () => {
    const index = await newIndex({ model: deafModel('deaf') });
    await index.add({ id: 'a', text: 'alpha' });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    const { signal } = abort;
    await expect(index.search('deaf', { signal })).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    await expect(index.add({ id: 'b', text: 'deaf' }, { signal })).rejects.toMatchObject({
      code: 'SLUICE_ABORTED',
    });
    const searching = index.search('deaf alpha');
    const adding = index.add({ id: 'b', text: 'deaf' });
    setTimeout(() => index.close(), 50);
    await expect(searching).rejects.toMatchObject({ code: 'SLUICE_INDEX_CLOSED' });
    await expect(adding).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    await index.close();
  });
});

describe('what callers bring that fails', () => {
  it.each([
    ['an Error', new Error('no network')],
    ['undefined', undefined],
  ])('an embedder that throws %s is told as such by search and reembed', async (_, thrown) => {
    const failing = (model: string) => {
      const inner = callerEmbedder({
        model,
        dims: 16,
        windowTokens: 256,
        embed: (texts) => texts.map((text) => vectorOf(text, 16)),
      });
      return {
        fingerprint: inner.fingerprint,
        close: () => inner.close(),
        embed: ((texts, purpose, signal) => {
          if (new TextDecoder().decode(texts.bytes).includes('bad')) return Promise.reject(thrown);
          return inner.embed(texts, purpose, signal);
        }) as typeof inner.embed,
      };
    };
    const index = await newIndex({ model: failing('first') });
    await index.add({ id: 'a', text: 'good' });
    const told = { code: 'SLUICE_MODEL_FAILED', cause: thrown };
    await expect(index.search('bad', { legs: { keywords: false } })).rejects.toMatchObject(told);
    const other = await newIndex({ model: toyModel('toy') });
    await other.add({ id: 'a', text: 'bad' });
    await expect(other.reembed({ model: failing('second') })).rejects.toMatchObject(told);
  });

  it('wrong paths and callbacks are slips of the caller', async () => {
    const index = await newIndex();
    await index.add({ id: 'a', text: 'alpha' });
    const usage = { code: 'SLUICE_USAGE' };
    await expect(index.backup(null as never)).rejects.toMatchObject(usage);
    await expect(index.backup('')).rejects.toMatchObject(usage);
    await expect(index.backup(newFolder(), { onProgress: 'x' as never })).rejects.toMatchObject(usage);
    await expect(index.compact('x' as never)).rejects.toMatchObject(usage);
    await expect(index.compact(null as never)).rejects.toMatchObject(usage);
  });
});
