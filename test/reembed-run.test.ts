import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SluiceError } from '../src/errors.js';
import { modelFolderPath } from '../src/inference/model-folder.js';
import { openIndex } from '../src/open-index.js';
import type { ReembedReport } from '../src/reembed-run.js';
import { newFolder, newIndex, toyModel } from './index-support.js';

const documents = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `d${n}.md`,
    format: 'markdown' as const,
    text: `# Kiln ${n}\n\n## 钥匙\n\n${`仓库钥匙 ${n} 在抽屉里。`.repeat(30)}\n\n${'It glows red. '.repeat(80)}`,
  }));

describe('reembed', () => {
  it('embeds the very texts that indexing had embedded, and moves over without a pause in searches', async () => {
    const first: string[] = [];
    const second: string[] = [];
    const index = await newIndex({ model: toyModel('first', 16, first) });
    await index.add(documents(40));
    const { chunks } = await index.count();
    const indexed = first.slice(-chunks);
    const run = index.reembed({ model: toyModel('second', 24, second) });
    let running = true;
    const searches = (async () => {
      while (running) {
        const { hits } = await index.search('kiln', { k: 3 });
        expect(hits).toHaveLength(3);
      }
    })();
    const seen: number[] = [];
    for await (const { done, chunks: total } of run.progress(5)) {
      seen.push(done);
      expect(total === 0 || total === chunks).toBe(true);
    }
    const report = await run;
    running = false;
    await searches;
    expect(report).toMatchObject({
      changed: true,
      interrupted: false,
      chunks,
      embedded: chunks,
      model: 'second',
      dims: 24,
    });
    expect(report.uncertainChunks).toBe(0);
    expect(seen.at(-1)).toBe(chunks);
    expect([...new Set(second.slice(0, chunks))].sort()).toEqual([...new Set(indexed)].sort());
    expect(index.passport.embedder).toMatchObject({ model: 'second', dims: 24 });
    const text = second[0]!;
    const { hits } = await index.search(text, { k: 1, legs: { keywords: false } });
    expect(hits[0]!.scores.vectors!.cosine).toBeCloseTo(1, 4);
  });

  it('lets documents be added afterwards, cut as before, also by a process that opens it anew', async () => {
    const folder = newFolder();
    const index = await newIndex({ model: toyModel('first', 16) }, folder);
    await index.add(documents(3));
    const { chunker } = index.passport;
    await index.reembed({ model: toyModel('second', 24) });
    await index.add({ id: 'later', text: 'The kiln is cold.' });
    await index.close();
    await expect(openIndex(folder, { model: toyModel('first', 16) })).rejects.toMatchObject({
      code: 'SLUICE_PASSPORT_MISMATCH',
    });
    const again = await newIndex({ model: toyModel('second', 24) }, folder);
    expect(again.passport.chunker).toBe(chunker);
    await again.add({ id: 'last', text: 'The kiln is hot.' });
    const { hits } = await again.search('The kiln is hot.', { k: 1 });
    expect(hits[0]!.documentId).toBe('last');
    await again.reembed({ model: toyModel('third', 8) });
    expect(await again.count()).toMatchObject({ documents: 5 });
  });

  it('shuts out whoever has the old vectors in memory, clearly', async () => {
    const folder = newFolder();
    const index = await newIndex({}, folder);
    await index.add(documents(2));
    const other = await newIndex({ readonly: true }, folder);
    expect((await other.search('kiln', { k: 1 })).hits).toHaveLength(1);
    await index.reembed({ model: toyModel('second', 24) });
    for (const call of [() => other.search('kiln'), () => other.get('d0.md'), () => other.list()]) {
      await expect(call()).rejects.toMatchObject({ code: 'SLUICE_PASSPORT_MISMATCH' });
      await expect(call()).rejects.toThrow(
        /the index \/.* was re-embedded with another model, .+; open it again/,
      );
    }
  });

  it('does nothing for the model that the index has already, and says so', async () => {
    const embedded: string[] = [];
    const index = await newIndex();
    await index.add(documents(2));
    const report = await index.reembed({ model: toyModel('toy', 16, embedded) });
    expect(report).toMatchObject({ changed: false, embedded: 0 });
    expect(embedded).toEqual([]);
  });

  it('stops when it is told to, keeps what is done, and goes on', async () => {
    const index = await newIndex();
    await index.add(documents(60));
    const { chunks } = await index.count();
    const stop = new AbortController();
    const run = index.reembed({ model: toyModel('second', 8), signal: stop.signal });
    const watching = (async () => {
      for await (const { done } of run.progress(1)) if (done > 0) stop.abort();
    })();
    await expect(watching).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    const error = (await Promise.resolve(run).catch((reason: unknown) => reason)) as SluiceError;
    expect(error.code).toBe('SLUICE_ABORTED');
    const { done } = error.details.report as ReembedReport;
    expect(index.passport.embedder.model).toBe('toy');
    expect((await index.search('kiln', { k: 2 })).hits).toHaveLength(2);
    const report = await index.reembed({ model: toyModel('second', 8) });
    expect(report.embedded).toBe(chunks - done);
    expect(done).toBeGreaterThan(0);
  });

  it('leaves everything as it was when the model fails', async () => {
    const index = await newIndex();
    await index.add(documents(5));
    const broken = toyModel('broken', 8);
    const run = index.reembed({
      model: {
        ...broken,
        fingerprint: broken.fingerprint,
        embed: async (texts) => ({
          matrix: {
            rows: texts.offsets.length - 1,
            dims: 8,
            data: new Float32Array((texts.offsets.length - 1) * 8).fill(Number.NaN),
          },
          cost: {
            tokens: 0,
            pooled: 0,
            truncatedTexts: 0,
            truncatedTokens: 0,
            tokenizeMs: 0,
            inferenceMs: 0,
          },
        }),
      },
    });
    await expect(run).rejects.toMatchObject({ code: 'SLUICE_EMBEDDING_INVALID' });
    expect((await index.search('kiln', { k: 2 })).hits).toHaveLength(2);
    await index.add({ id: 'x', text: 'kiln' });
  });

  it('pools chunks that are over the window of the new model, counts them, and keeps cutting for the old one', async () => {
    const narrow = newFolder();
    const embedded = modelFolderPath('all-MiniLM-L6-v2');
    for (const name of readdirSync(embedded)) symlinkSync(join(embedded, name), join(narrow, name));
    rmSync(join(narrow, 'sluice.json'));
    const card = JSON.parse(readFileSync(join(embedded, 'sluice.json'), 'utf8'));
    writeFileSync(join(narrow, 'sluice.json'), JSON.stringify({ ...card, windowTokens: 32 }));
    const folder = newFolder();
    const index = await openIndex(folder, { reranker: false });
    await index.add(documents(2));
    const { chunker } = index.passport;
    const report = await index.reembed({ model: narrow });
    expect(report).toMatchObject({ changed: true, uncertainChunks: 0 });
    expect(report.pooledChunks).toBeGreaterThan(0);
    expect(report.tokens).toBeGreaterThan(32 * report.pooledChunks);
    await index.close();
    const again = await openIndex(folder, { reranker: false });
    expect(again.passport.settings).toMatchObject({ model: narrow, cutFor: { model: 'all-MiniLM-L6-v2' } });
    const added = await again.add({ id: 'long', title: '', text: 'The kiln is red. '.repeat(20) });
    expect(added).toMatchObject({ chunks: 1, pooledChunks: 1 });
    expect(again.passport.chunker).toBe(chunker);
    const { hits } = await again.search('what colour has the kiln?', { k: 1, legs: { keywords: false } });
    expect(hits[0]!.documentId).toBe('long');
    await again.close();
  });

  it.each([{ modle: 'x' }, { model: 7 }, null])('refuses %j', async (options) => {
    const index = await newIndex();
    await expect(index.reembed(options as never)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });
});
