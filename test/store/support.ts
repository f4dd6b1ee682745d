import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Metadata } from '../../src/model/document.js';
import type { DocumentRecord } from '../../src/model/document-record.js';
import type { Passport } from '../../src/model/passport.js';
import type { CommitBatch, Store } from '../../src/model/store.js';
import { packTexts } from '../../src/model/text-column.js';
import { createOrOpenStore, FORMAT_VERSION, type StoreOptions } from '../../src/store/index.js';

export const DIMS = 8;

const folders: string[] = [];
const stores: Store[] = [];

afterAll(async () => {
  for (const store of stores) await store.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that is removed after the tests of the file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-store-'));
  folders.push(folder);
  return folder;
}

export function passport(changes: Partial<Passport> = {}, dims = DIMS): Passport {
  return {
    formatVersion: FORMAT_VERSION,
    embedder: {
      kind: 'test',
      name: 'letters',
      model: 'letters-1',
      tokenizer: 'none',
      dims,
      windowTokens: 256,
      pooling: 'mean',
      normalized: true,
      queryPrefix: '',
      passagePrefix: '',
    },
    chunker: 'test-chunks-1',
    analyzer: 'test-analyzer-1',
    dictionary: 'none',
    reference: null,
    ...changes,
  };
}

export async function newStore(options: StoreOptions = {}, folder = newFolder()): Promise<Store> {
  const store = await createOrOpenStore(folder, { passport: passport(), threads: 2, ...options });
  stores.push(store);
  return store;
}

/** Small whole numbers from a seed, the same everywhere. */
export function randomness(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A unit vector that depends on the text alone. */
export function vectorOf(text: string, dims = DIMS): Float32Array {
  let seed = 7;
  for (let i = 0; i < text.length; i++) seed = (Math.imul(seed, 31) + text.charCodeAt(i)) >>> 0;
  const next = randomness(seed);
  const vector = Float32Array.from({ length: dims }, () => next() - 0.5);
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

export interface DocumentOptions {
  source?: string;
  title?: string;
  metadata?: Metadata;
  /** What the keyword index gets instead of the chunk itself. */
  keywordText?: (chunk: string) => string;
  vector?: (chunk: string, row: number) => Float32Array;
  dims?: number;
}

/** A document whose chunks are given; its text is the chunks, a line each. */
/** A document of a batch whose record is not sealed, so that tests can change it. */
export type PlainDocument = CommitBatch['documents'][number] & { record: DocumentRecord };

export function document(id: string, chunks: string[], options: DocumentOptions = {}): PlainDocument {
  const dims = options.dims ?? DIMS;
  const start = new Uint32Array(chunks.length);
  const end = new Uint32Array(chunks.length);
  let at = 0;
  chunks.forEach((chunk, i) => {
    start[i] = at;
    end[i] = at + chunk.length;
    at += chunk.length + 1;
  });
  const vectors = new Float32Array(chunks.length * dims);
  chunks.forEach((chunk, i) => {
    vectors.set(options.vector?.(chunk, i) ?? vectorOf(chunk, dims), i * dims);
  });
  const record: DocumentRecord = {
    id,
    source: options.source ?? id,
    title: options.title ?? id,
    format: 'text',
    metadata: options.metadata ?? {},
    contentHash: `hash of ${chunks.join('\n')}`,
    text: new TextEncoder().encode(chunks.join('\n')),
    chunks: {
      start,
      end,
      tokens: Uint32Array.from(chunks, (chunk) => chunk.split(' ').length),
      startLine: Uint32Array.from(chunks, (_, i) => i + 1),
      endLine: Uint32Array.from(chunks, (_, i) => i + 1),
      page: new Uint32Array(chunks.length),
      parentStart: start,
      parentEnd: end,
      kind: new Uint8Array(chunks.length),
      headingPath: chunks.map(() => ''),
      overLimit: new Uint8Array(chunks.length),
      embeddingText: packTexts(chunks),
    },
    keywordText: packTexts(chunks.map(options.keywordText ?? ((chunk) => chunk))),
    embeddingHashes: null,
  };
  return { record, vectors: { rows: chunks.length, dims, data: vectors } };
}

export function batch(
  documents: CommitBatch['documents'],
  removeDocuments: string[] = [],
  sources: CommitBatch['sources'] = [],
): CommitBatch {
  return { documents, removeDocuments, sources };
}
