import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { callerEmbedder } from '../../src/embedding/index.js';
import { type Embedder, type OpenIndexOptions, openIndex } from '../../src/index.js';

const DIMS = 16;

/** Counts what it was asked, and fails for texts that hold the word given. */
export interface CountingEmbedder extends Embedder {
  readonly passages: number;
}

/** A quick embedder for tests of the pipeline: a hashed bag of words, so equal texts have equal vectors. */
export function bagOfWords({
  failsAt,
  delayMs = 0,
}: {
  failsAt?: string | (() => string | undefined);
  delayMs?: number;
} = {}): CountingEmbedder {
  let passages = 0;
  const inner = callerEmbedder({
    model: 'bag-of-words-1',
    dims: DIMS,
    windowTokens: 64,
    embed: async (texts, purpose) => {
      if (purpose === 'passage') passages += texts.length;
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
      return texts.map((text) => vectorOf(text, typeof failsAt === 'function' ? failsAt() : failsAt));
    },
  });
  return {
    fingerprint: inner.fingerprint,
    embed: (texts, purpose, signal) => inner.embed(texts, purpose, signal),
    close: () => inner.close(),
    get passages() {
      return passages;
    },
  };
}

function vectorOf(text: string, failsAt: string | undefined): number[] {
  const vector = new Array<number>(DIMS).fill(0.01);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 7;
    for (const character of word) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
    vector[hash % DIMS]! += 1;
  }
  if (failsAt !== undefined && text.includes(failsAt)) vector[0] = Number.NaN;
  return vector;
}

export interface Workplace {
  path(name: string): string;
  write(name: string, content: string): Promise<void>;
  open(embedder: Embedder, options?: OpenIndexOptions): ReturnType<typeof openIndex>;
  remove(): Promise<void>;
}

/** A temporary folder with documents under docs/ and an index beside it. */
export async function workplace(files: Record<string, string> = {}): Promise<Workplace> {
  const root = await mkdtemp(join(tmpdir(), 'sluice-indexing-'));
  const place: Workplace = {
    path: (name) => join(root, name),
    async write(name, content) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), content);
    },
    open: (embedder, options) =>
      openIndex(join(root, 'index'), { model: embedder, reranker: false, ...options }),
    remove: () => rm(root, { recursive: true, force: true }),
  };
  for (const [name, content] of Object.entries(files)) await place.write(name, content);
  return place;
}
