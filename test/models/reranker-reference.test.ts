import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { modelFolderPath } from '../../src/inference/model-folder.js';
import { packTexts } from '../../src/model/text-column.js';
import { type LocalReranker, openReranker } from '../../src/reranking/local.js';

interface Reference {
  query: string;
  passage: string;
  answers: boolean;
  /** On the machine that wrote the file. */
  logit: number;
}

/** The card: weights of all 8 bits overflow on CPUs without VNNI, and moved logits by up to 0.76. */
const KERNEL_TOLERANCE = 0.8;

let reranker: LocalReranker;
let references: (Reference & { score: number })[];

beforeAll(async () => {
  const file = join(modelFolderPath('reranker-v0'), 'reference.json');
  const written = JSON.parse(await readFile(file, 'utf8')) as Reference[];
  reranker = await openReranker();
  references = [];
  for (const reference of written) {
    const { scores } = await reranker.score(reference.query, packTexts([reference.passage]));
    references.push({ ...reference, score: scores[0]! });
  }
});
afterAll(() => reranker.close());

it('reranker-v0 gives the logits of its reference, as closely as its card says', () => {
  expect(references.length).toBeGreaterThanOrEqual(6);
  for (const { passage, logit, score } of references) {
    expect(Math.abs(score - logit), passage).toBeLessThan(KERNEL_TOLERANCE);
  }
});

it('reranker-v0 puts answers above passages on the same subject', () => {
  for (const answer of references.filter(({ answers }) => answers)) {
    for (const other of references.filter(({ query, answers }) => query === answer.query && !answers)) {
      expect(answer.score, answer.query).toBeGreaterThan(other.score);
    }
  }
});
