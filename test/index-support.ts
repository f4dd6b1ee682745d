import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { callerEmbedder } from '../src/embedding/index.js';
import type { Embedder } from '../src/model/embedder.js';
import { openIndex } from '../src/open-index.js';
import type { OpenIndexOptions } from '../src/open-options.js';
import type { SluiceIndex } from '../src/sluice-index.js';
import { vectorOf } from './store/support.js';

const folders: string[] = [];
const indexes: SluiceIndex[] = [];

afterAll(async () => {
  for (const index of indexes) await index.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that is removed after the tests of the file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-index-'));
  folders.push(folder);
  return folder;
}

/** Vectors that depend on the text and the model's name alone. */
export function toyModel(model = 'toy', dims = 16, embedded: string[] = []): Embedder {
  return callerEmbedder({
    model,
    dims,
    windowTokens: 256,
    embed: (texts) => {
      embedded.push(...texts);
      return texts.map((text) => vectorOf(`${model}: ${text}`, dims));
    },
  });
}

/** A real index with a toy model and without a reranker, closed after the tests of the file. */
export async function newIndex(options: OpenIndexOptions = {}, folder = newFolder()): Promise<SluiceIndex> {
  const index = await openIndex(folder, { model: toyModel(), reranker: false, threads: 1, ...options });
  indexes.push(index);
  return index;
}
