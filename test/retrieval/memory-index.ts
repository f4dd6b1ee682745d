import { createHash } from 'node:crypto';
import type { Embedder, EmbedderFingerprint } from '../../src/model/embedder.js';
import type { Reranker } from '../../src/model/reranker.js';
import type { LabelSet, LegResult, StoredChunk } from '../../src/model/store.js';
import { unpackTexts } from '../../src/model/text-column.js';
import type { SearchedReader, SearchOptions } from '../../src/retrieval/index.js';
import { search } from '../../src/retrieval/index.js';

export interface ChunkInput {
  documentId: string;
  text: string;
  start?: number;
  source?: string;
  title?: string;
  headingPath?: string;
  metadata?: StoredChunk['metadata'];
}

export const DIMS = 16;

export function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Hashed bag of words, of length 1: a deterministic stand-in for a model. */
export function toyVector(text: string): Float32Array {
  const vector = new Float32Array(DIMS);
  for (const word of words(text)) vector[createHash('md5').update(word).digest()[0]! % DIMS]! += 1;
  const norm = Math.hypot(...vector) || 1;
  return vector.map((value) => value / norm);
}

/**
 * A reader in memory: exact, slow, and simple enough to be the twin of the real one. BM25 with k1 1.2, b 0.75.
 * Filters are equality on metadata fields. Labels start at 3 and skip, so that no test relies on rows being labels.
 */
export class MemoryReader implements SearchedReader {
  readonly generation = 7;
  readonly problems: readonly string[] = [];
  readonly stored: StoredChunk[];
  readonly calls: string[] = [];

  constructor(chunks: readonly ChunkInput[], labelOf: (row: number) => number = (row) => 3 + row * 2) {
    this.stored = chunks.map((chunk, row) => toStored(chunk, labelOf(row)));
  }

  async select(filter: { [field: string]: unknown } | undefined): Promise<LabelSet> {
    const wanted = Object.entries(filter ?? {});
    const labels = this.stored
      .filter(({ metadata }) => wanted.every(([field, value]) => metadata[field] === value))
      .map(({ label }) => label);
    return labelSet(labels);
  }

  async searchKeywords(query: string, k: number, allowed: LabelSet): Promise<LegResult> {
    this.calls.push(`keywords ${k}`);
    const terms = new Set(words(query));
    const bags = this.stored.map(({ text }) => words(text));
    const average = bags.reduce((sum, bag) => sum + bag.length, 0) / Math.max(1, bags.length);
    return this.#top(k, allowed, (_, row) => {
      let score = 0;
      for (const term of terms) {
        const df = bags.filter((bag) => bag.includes(term)).length;
        const tf = bags[row]!.filter((word) => word === term).length;
        const length = 1.2 * (0.25 + (0.75 * bags[row]!.length) / average);
        if (tf > 0) score += (Math.log(1 + (bags.length - df + 0.5) / (df + 0.5)) * tf * 2.2) / (tf + length);
      }
      return score > 0 ? score : null;
    });
  }

  async searchVectors(query: Float32Array, k: number, allowed: LabelSet): Promise<LegResult> {
    this.calls.push(`vectors ${k}`);
    return this.#top(k, allowed, ({ text }) =>
      toyVector(text).reduce((sum, value, i) => sum + value * query[i]!, 0),
    );
  }

  async chunks(labels: Uint32Array): Promise<StoredChunk[]> {
    this.calls.push(`chunks ${labels.length}`);
    return Array.from(labels).flatMap((label) => this.stored.filter((chunk) => chunk.label === label));
  }

  /** Parents here are the chunks themselves. */
  parents(labels: Uint32Array): Promise<StoredChunk[]> {
    return this.chunks(labels);
  }

  #top(k: number, allowed: LabelSet, score: (chunk: StoredChunk, row: number) => number | null): LegResult {
    const found = this.stored
      .map((chunk, row) => ({ label: chunk.label, score: score(chunk, row) }))
      .filter(({ label, score }) => score !== null && isSet(label, allowed))
      .sort((a, b) => b.score! - a.score! || a.label - b.label)
      .slice(0, k);
    return {
      labels: Uint32Array.from(found, ({ label }) => label),
      scores: Float32Array.from(found, (one) => one.score!),
    };
  }
}

export function labelSet(labels: readonly number[]): LabelSet {
  const bits = new Uint8Array(((Math.max(0, ...labels) >> 3) + 1) | 0);
  for (const label of labels) bits[label >> 3]! |= 1 << (label & 7);
  return { bits, count: labels.length };
}

export function isSet(label: number, { bits }: LabelSet): boolean {
  return ((bits[label >> 3] ?? 0) & (1 << (label & 7))) !== 0;
}

function toStored(input: ChunkInput, label: number): StoredChunk {
  const start = input.start ?? 0;
  return {
    label,
    chunkId: `chunk-${label}`,
    documentId: input.documentId,
    source: input.source ?? `${input.documentId}.md`,
    title: input.title ?? input.documentId,
    headingPath: input.headingPath ?? '',
    text: input.text,
    start,
    end: start + input.text.length,
    startLine: 1,
    endLine: 1,
    page: 0,
    parentStart: 0,
    parentEnd: 0,
    tokens: words(input.text).length,
    kind: 'prose',
    metadata: input.metadata ?? {},
  };
}

export const TOY_FINGERPRINT: EmbedderFingerprint = {
  kind: 'toy',
  name: 'toy',
  model: 'toy-1',
  tokenizer: 'words',
  dims: DIMS,
  windowTokens: 1_000,
  pooling: 'none',
  normalized: true,
  queryPrefix: '',
  passagePrefix: '',
};

/** Embeds by `vectorOf`, which may throw. */
export function toyEmbedder(
  vectorOf: (text: string) => Float32Array | Promise<Float32Array> = toyVector,
  fingerprint: Partial<EmbedderFingerprint> = {},
): Embedder {
  return {
    fingerprint: { ...TOY_FINGERPRINT, ...fingerprint },
    async embed(texts) {
      const rows = await Promise.all(unpackTexts(texts).map(vectorOf));
      const data = new Float32Array(rows.flatMap((row) => Array.from(row)));
      const cost = {
        tokens: 0,
        pooled: 0,
        truncatedTexts: 0,
        truncatedTokens: 0,
        tokenizeMs: 0,
        inferenceMs: 0,
      };
      return { matrix: { rows: rows.length, dims: rows[0]?.length ?? DIMS, data }, cost };
    },
    async close() {},
  };
}

/** Scores by `logitOf`, which may throw; remembers what it was asked. */
export function toyReranker(
  logitOf: (query: string, passage: string, row: number) => number,
  name = 'toy',
): Reranker & { seen: string[][] } {
  const seen: string[][] = [];
  return {
    seen,
    fingerprint: { kind: 'onnx', name, model: 'toy-1', windowTokens: 512 },
    async score(query, passages) {
      const texts = unpackTexts(passages);
      seen.push(texts);
      return {
        scores: Float32Array.from(texts, (text, row) => logitOf(query, text, row)),
        windowed: new Uint8Array(texts.length),
      };
    },
    async close() {},
  };
}

/** Searches a reader with toy models, or with those given. */
export function toySearch(
  reader: SearchedReader,
  query: string,
  options: SearchOptions = {},
  models: { embedder?: Embedder; reranker?: Reranker } = {},
) {
  const { embedder = toyEmbedder(), reranker } = models;
  return search({ reader, embedder, reranker, segment: (text) => text, query, options });
}
