import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openEmbedder } from '../../src/embedding/local.js';
import { modelFolderPath } from '../../src/inference/model-folder.js';
import { packTexts } from '../../src/model/text-column.js';
import { cosine } from '../inference/support.js';

interface Reference {
  text: string;
  tokens: number;
  /** What this file's int8 vectors have to their float32 ones, on the machine that wrote it. */
  int8Cosine: number;
  fp32: number[];
}

/** int8 kernels round differently from CPU to CPU. */
const KERNEL_TOLERANCE = 0.005;

it('all-MiniLM-L6-v2 keeps as close to float32 as its card says', async () => {
  const file = join(modelFolderPath('all-MiniLM-L6-v2'), 'reference.json');
  const references = JSON.parse(await readFile(file, 'utf8')) as Reference[];
  const embedder = await openEmbedder();
  const { matrix, cost } = await embedder.embed(packTexts(references.map(({ text }) => text)), 'passage');
  await embedder.close();
  expect(cost.tokens).toBe(references.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(cost.pooled).toBe(0);
  for (const [i, { fp32, int8Cosine, text }] of references.entries()) {
    const vector = matrix.data.subarray(i * matrix.dims, (i + 1) * matrix.dims);
    expect(Math.abs(cosine(vector, fp32) - int8Cosine), text).toBeLessThan(KERNEL_TOLERANCE);
    expect(Math.hypot(...vector), text).toBeCloseTo(1, 5);
  }
});
