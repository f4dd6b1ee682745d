import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packContext } from '../../src/context/index.js';
import { openEmbedder } from '../../src/embedding/local.js';
import { evaluate, standardConfigurations } from '../../src/evaluation/index.js';
import type { DocumentRecord } from '../../src/model/document-record.js';
import type { Embedder } from '../../src/model/embedder.js';
import type { Passport } from '../../src/model/passport.js';
import type { Reranker } from '../../src/model/reranker.js';
import type { Store, StoreReader } from '../../src/model/store.js';
import { packTexts } from '../../src/model/text-column.js';
import { openReranker } from '../../src/reranking/local.js';
import { type SearchOptions, search } from '../../src/retrieval/index.js';
import { createOrOpenStore, FORMAT_VERSION } from '../../src/store/index.js';
import { segmentForKeywords } from '../../src/tokens/index.js';

/** Real store, real models: what the fakes of the other files stand for. A paragraph is a chunk. */
const DOCUMENTS: { id: string; lang: string; paragraphs: string[] }[] = [
  {
    id: 'kiln.md',
    lang: 'en',
    paragraphs: [
      'The bisque kiln is loaded on Mondays and fired overnight.',
      'After firing, leave the lid shut for two days: opening it early cracks the ware.',
      'Error E1043 means that the thermocouple is broken.',
    ],
  },
  {
    id: 'orders.md',
    lang: 'en',
    paragraphs: [
      'An order that arrives over 45 minutes late is refunded in full.',
      'Vouchers expire ninety days after they were issued.',
    ],
  },
  { id: 'keys.md', lang: 'zh', paragraphs: ['仓库钥匙在抽屉里。', '会议室在二楼。'] },
];

let folder: string;
let store: Store;
let reader: StoreReader;
let embedder: Embedder;
let reranker: Reranker;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-retrieval-'));
  embedder = await openEmbedder();
  reranker = await openReranker();
  store = await createOrOpenStore(folder, { passport: passport() });
  const writer = await store.writer();
  const documents = await Promise.all(
    DOCUMENTS.map(async (document) => ({
      record: toRecord(document),
      vectors: (await embedder.embed(packTexts(document.paragraphs), 'passage')).matrix,
    })),
  );
  await writer.commit({ documents, removeDocuments: [], sources: [] });
  await writer.publish();
  await writer.close();
  reader = await store.reader();
});

afterAll(async () => {
  await reader?.close();
  await store?.close();
  await reranker?.close();
  await embedder?.close();
  await rm(folder, { recursive: true });
});

function passport(): Passport {
  return {
    formatVersion: FORMAT_VERSION,
    embedder: embedder.fingerprint,
    chunker: 'paragraphs',
    analyzer: 'sluice-analyzer-1',
    dictionary: 'test',
    reference: null,
  };
}

function toRecord({ id, lang, paragraphs }: (typeof DOCUMENTS)[number]): DocumentRecord {
  const text = paragraphs.join('\n');
  const start = paragraphs.map((_, i) => paragraphs.slice(0, i).join('\n').length + (i === 0 ? 0 : 1));
  const lines = Uint32Array.from(paragraphs, (_, i) => i + 1);
  const keywordText = packTexts(paragraphs.map(segmentForKeywords));
  return {
    id,
    source: id,
    title: id,
    format: 'markdown',
    metadata: { lang },
    contentHash: createHash('sha256').update(text).digest('hex'),
    text: new TextEncoder().encode(text),
    chunks: {
      start: Uint32Array.from(start),
      end: Uint32Array.from(paragraphs, (paragraph, i) => start[i]! + paragraph.length),
      tokens: Uint32Array.from(paragraphs, (paragraph) => paragraph.split(' ').length),
      startLine: lines,
      endLine: lines,
      page: new Uint32Array(paragraphs.length),
      parentStart: Uint32Array.from(start),
      parentEnd: Uint32Array.from(paragraphs, (paragraph, i) => start[i]! + paragraph.length),
      kind: new Uint8Array(paragraphs.length),
      headingPath: paragraphs.map(() => ''),
      overLimit: new Uint8Array(paragraphs.length),
      embeddingText: keywordText,
    },
    keywordText,
    embeddingHashes: null,
  };
}

function ask(query: string, options: SearchOptions = {}) {
  return search({ reader, embedder, reranker, segment: segmentForKeywords, query, options });
}

describe('search over a real store with real models', () => {
  it('answers a question that shares no word with its passage, reranked', async () => {
    const result = await ask('why did my pottery break when I took it out hot?', { k: 2 });
    expect(result.hits[0]!.text).toContain('opening it early cracks the ware');
    expect(result).toMatchObject({ reranked: true, generation: reader.generation });
    expect(result.hits[0]!.scores.rerank).not.toBeNull();
  });

  it('finds an identifier by its word', async () => {
    const { hits, reranked } = await ask('E1043', { k: 1 });
    expect(hits[0]).toMatchObject({ documentId: 'kiln.md', startLine: 3, scores: { keywords: { rank: 1 } } });
    expect(reranked).toBe(false);
  });

  it('finds a Chinese word, without the English model', async () => {
    const { hits, legs } = await ask('钥匙', { k: 1 });
    expect(hits[0]!.text).toBe('仓库钥匙在抽屉里。');
    expect(legs.vectors).toMatchObject({ weight: 0, reason: expect.stringContaining('reads English') });
  });

  it('shows no chunk that the filter forbids, and all that it allows', async () => {
    const { hits } = await ask('late order refund', { k: 10, filter: { lang: 'zh' } });
    expect(hits.map(({ documentId }) => documentId)).toEqual(['keys.md', 'keys.md']);
  });

  it('gives one hit a document where documents are asked for', async () => {
    const { hits } = await ask('late order refund', { k: 10, collapse: 'document' });
    expect(hits.map(({ documentId }) => documentId).sort()).toEqual(['keys.md', 'kiln.md', 'orders.md']);
    expect(hits[0]!.documentId).toBe('orders.md');
  });

  it('has its hits packed with citations that lead to the line', async () => {
    const { hits } = await ask('late order refund', { k: 3 });
    const context = await packContext(hits, {
      budgetTokens: 40,
      countTokens: (text) => text.split(/\s+/).length,
    });
    expect(context.text).toContain('[1] orders.md (orders.md:1');
    expect(context.tokens).toBeLessThanOrEqual(40);
  });

  it('is measured by the standard configurations', async () => {
    const report = await evaluate({
      search: (query, options) => ask(query, options),
      queries: new Map([['q', 'what happens when an order is late?']]),
      qrels: new Map([['q', new Map([['orders.md', 1]])]]),
      configurations: standardConfigurations({ reranker: true }),
      hasDocument: (ids) => reader.has([...ids]),
    });
    expect(report.missingDocuments).toEqual([]);
    expect(report.configurations.map(({ metrics }) => metrics['hit@10'])).toEqual([1, 1, 1, 1, 1]);
  });
});
