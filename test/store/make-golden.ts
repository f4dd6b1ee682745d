import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createChunker } from '../../src/chunking/index.js';
import type { Chunker } from '../../src/model/chunker.js';
import type { Metadata } from '../../src/model/document.js';
import { EMBEDDING_HASH_BYTES } from '../../src/model/document-record.js';
import { textAt } from '../../src/model/text-column.js';
import { createOrOpenStore, exportIndex, FORMAT_VERSION } from '../../src/store/index.js';
import { EXCHANGE_VERSION } from '../../src/store/maintenance/exchange.js';
import { resolved } from '../chunking/checks.js';
import { markdown } from '../chunking/fixtures.js';
import { wordTokenizer } from '../chunking/tokenizers.js';
import { batch, document, newFolder, type PlainDocument, passport } from './support.js';

/** What the golden index is made with: a graph of 24 vectors, and a tail. */
export const GOLDEN_OPTIONS = { graphThreshold: 20, threads: 1 };

/** All that the present format can hold: a float32 graph, float16 vectors, parents, metadata columns; and tails of them. */
export const WHOLE_OPTIONS = {
  ...GOLDEN_OPTIONS,
  filterThreshold: 5,
  vectorPrecision: 'float32',
  storedVectors: 'float16',
} as const;

const CHILD = { limitTokens: 12, tokenizer: wordTokenizer };

/**
 * What lies under test/fixtures, by name: `MAKE_GOLDEN=index-v4 npx vitest run test/store/golden`. Only for a new format
 * version, in a folder of its own: the old ones must go on opening.
 */
export const GOLDEN_MAKERS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  [`index-v${FORMAT_VERSION}`]: makeGolden,
  [`index-v${FORMAT_VERSION}-whole`]: makeWhole,
  [`export-v${EXCHANGE_VERSION}.jsonl`]: exportWhole,
  [`export-v${EXCHANGE_VERSION}.parquet`]: exportWhole,
};

async function makeGolden(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const store = await createOrOpenStore(folder, { passport: passport(), ...GOLDEN_OPTIONS });
  const writer = await store.writer();
  const state = { size: 12, mtimeMs: 1_700_000_000_000, status: 'done' as const, error: null };
  await writer.rootName('/somewhere/docs');
  const numbered = Array.from({ length: 24 }, (_, i) =>
    document(`docs/${i}.md`, [`alpha number${i}`], {
      title: `Number ${i}`,
      metadata: { n: i, tags: ['golden', null] },
    }),
  );
  await writer.commit(batch(numbered, [], [{ source: 'docs/0.md', ...state }]));
  await writer.publish();
  const keywordText = (chunk: string) => `Title\n${chunk}`;
  await writer.commit(
    batch([document('docs/late.md', ['bravo 😀', 'charlie'], { keywordText })], ['docs/3.md']),
  );
  await writer.publish();
  await store.close();
  rmSync(join(folder, 'writer.lock'));
}

async function makeWhole(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const chunker = createChunker(
    resolved({ strategy: 'parent-child', ...CHILD, parents: { limitTokens: 40, window: CHILD } }),
  );
  const store = await createOrOpenStore(folder, {
    passport: passport({ chunker: chunker.fingerprint }),
    ...WHOLE_OPTIONS,
  });
  const writer = await store.writer();
  await writer.rootName('/somewhere/docs');
  const numbered = Array.from({ length: 24 }, (_, i) =>
    document(`docs/${i}.md`, [`alpha number${i}`], { title: `Number ${i}`, metadata: metadataOf(i) }),
  );
  const state = { size: 12, mtimeMs: 1_700_000_000_000 };
  const error = { code: 'SLUICE_FILE_UNREADABLE', message: 'docs/bad.pdf is damaged', details: {} } as const;
  await writer.commit(
    batch(
      [...numbered, await guide(chunker)],
      [],
      [
        { source: 'docs/0.md', ...state, status: 'done', error: null },
        { source: 'docs/bad.pdf', ...state, status: 'failed', error },
      ],
    ),
  );
  await writer.publish();
  const late = document('docs/late.md', ['bravo 😀', 'charlie'], {
    keywordText: (chunk) => `Title\n${chunk}`,
  });
  const updateMetadata = [{ id: 'docs/4.md', metadata: { ...metadataOf(4), lang: 'fr' } }];
  await writer.commit({ ...batch([late], ['docs/3.md']), updateMetadata });
  await writer.publish();
  await store.close();
  rmSync(join(folder, 'writer.lock'));
}

/** A value of each kind that a filter tells apart. */
function metadataOf(i: number): Metadata {
  const at = new Date(Date.UTC(2026, 0, 1 + i)).toISOString();
  return { n: i, half: i / 2, even: i % 2 === 0, lang: i % 2 ? 'de' : 'en', at, tags: ['golden', null] };
}

/** Of two pages, and of parents that have three children each. */
async function guide(chunker: Chunker): Promise<PlainDocument> {
  const sentence = (word: string, i: number) => `The ${word} kiln number ${i} is fired slowly at night.`;
  const section = (word: string) => Array.from({ length: 4 }, (_, i) => sentence(word, i)).join(' ');
  const text = `# Red\n\n${section('red')}\n\n# Blue\n\n${section('blue')}`;
  const chunks = await chunker.chunk(markdown(text));
  const texts = chunks.headingPath.map((_, row) => textAt(chunks.embeddingText, row));
  const { record, vectors } = document('docs/guide.md', texts, { title: 'Guide', metadata: { lang: 'en' } });
  const page = Uint32Array.from(chunks.start, (start) => (start < text.indexOf('# Blue') ? 1 : 2));
  const embeddingHashes = Uint8Array.from({ length: texts.length * EMBEDDING_HASH_BYTES }, (_, i) => i);
  const plain = { ...record, text: new TextEncoder().encode(text), chunks: { ...chunks, page } };
  return { record: { ...plain, keywordText: chunks.embeddingText, embeddingHashes }, vectors };
}

/** Of the golden index that holds all. */
async function exportWhole(file: string): Promise<void> {
  const copy = join(newFolder(), 'copy');
  cpSync(join(dirname(file), `index-v${FORMAT_VERSION}-whole`), copy, { recursive: true });
  await exportIndex(copy, file, { overwrite: true });
}
