import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openIndex } from '../src/open-index.js';
import { newFolder, newIndex, toyModel } from './index-support.js';

it('a reranker that is nowhere is refused at opening, and only rerankers are named', async () => {
  const folder = newFolder();
  const opening = () => openIndex(folder, { model: toyModel(), reranker: 'nope' });
  for (const state of ['new', 'made']) {
    const error = await opening().catch((reason) => reason);
    expect(error, state).toMatchObject({ code: 'SLUICE_MODEL_INVALID' });
    expect(error.message).toContain('reranker-v0');
    expect(error.message).not.toContain('MiniLM');
    if (state === 'new') await (await newIndex({}, folder)).close();
  }
});

it('a reranker that cannot be read leaves the fused order, unless the query insists on it', async () => {
  const reranker = join(newFolder(), 'empty-model');
  mkdirSync(reranker);
  const index = await newIndex({ reranker });
  await index.add({ id: 'a', text: 'The kiln reaches cone ten.' });
  const question = 'how hot does the kiln get?';
  const { hits, rerankError, reranked } = await index.search(question);
  expect(hits).toHaveLength(1);
  expect(reranked).toBe(false);
  expect(rerankError).toMatchObject({ code: 'SLUICE_MODEL_INVALID' });
  expect((await index.search('kiln')).rerankError).toBeUndefined();
  await expect(index.search(question, { rerank: true })).rejects.toMatchObject({
    code: 'SLUICE_MODEL_INVALID',
  });
});
