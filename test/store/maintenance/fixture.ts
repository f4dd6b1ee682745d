import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openStore, type StoreOptions } from '../../../src/store/index.js';
import { batch, document, newFolder, newStore, vectorOf } from '../support.js';

/** A graph from 20 vectors on, and a tail. */
export const GRAPH: StoreOptions = { graphThreshold: 20 };

export const QUERIES = ['alpha', 'number7', 'Title', 'late', '不同', 'gone'];

/** Documents of several chunks, versions, keyword texts of their own, removed ones, sources and a root. */
export async function filledFolder(options: StoreOptions = GRAPH): Promise<string> {
  const folder = newFolder();
  const store = await newStore(options, folder);
  const writer = await store.writer();
  await writer.rootName('/somewhere/docs');
  const state = { size: 12, mtimeMs: 1_700_000_000_000, status: 'done' as const, error: null };
  const ids = Array.from({ length: 30 }, (_, i) => `docs/${i}.md`);
  const numbered = ids.map((id, i) =>
    document(
      id,
      Array.from({ length: 1 + (i % 3) }, (_, j) => `alpha number${i} part${j}`),
      {
        title: `Number ${i}`,
        metadata: { n: i, tags: ['x', null], author: { name: `N${i % 4}` } },
      },
    ),
  );
  await writer.commit(
    batch(
      numbered,
      [],
      ids.map((source) => ({ source, ...state })),
    ),
  );
  await writer.publish();
  const keywordText = (chunk: string) => `Title\n${chunk}`;
  const late = document('docs/late.md', ['late 😀 words', '不同 charlie', 'late 😀 words'], { keywordText });
  late.record.embeddingHashes = Uint8Array.from({ length: 48 }, (_, i) => i);
  const cut = document('docs/cut.md', ['不同'], { keywordText: () => 'cut words' });
  await writer.commit(batch([late, cut, document('docs/none.md', [])], ['docs/3.md', 'docs/4.md']));
  await writer.commit({
    ...batch([document('docs/5.md', ['alpha number5 again'])]),
    updateMetadata: [{ id: 'docs/6.md', metadata: { n: 66, new: { field: true } } }],
  });
  await writer.publish();
  await store.close();
  return folder;
}

/** Everything that an index answers, without labels: those may differ between equal indexes. */
export async function answersOf(folder: string, options: StoreOptions = GRAPH) {
  const store = await openStore(folder, options);
  try {
    const reader = await store.reader();
    const all = await reader.select(undefined);
    const { documents, chunks, tokens, overLimitChunks, sources, failedSources } = await reader.stats();
    const found: Record<string, { id: string; score: number }[]> = {};
    const named = async ({ labels, scores }: { labels: Uint32Array; scores: Float32Array }) =>
      (await reader.chunks(labels)).map(({ chunkId: id }, i) => ({ id, score: scores[i]! }));
    for (const query of QUERIES) {
      found[`words ${query}`] = await named(await reader.searchKeywords(query, 100, all));
      found[`vector ${query}`] = await named(await reader.searchVectors(vectorOf(query), 100, all));
    }
    const filtered = await reader.select({ n: { gte: 20 } }).then(
      ({ count }) => count,
      ({ code }) => code,
    );
    const ids = liveIds(folder);
    const stored = await Promise.all(ids.map((id) => reader.document(id)));
    const whole = stored.map((one) => ({
      ...one!,
      chunks: one!.chunks.map(({ label: _label, ...chunk }) => chunk),
    }));
    return {
      counts: { documents, chunks, tokens, overLimitChunks, sources, failedSources },
      found,
      filtered,
      whole,
    };
  } finally {
    await store.close();
  }
}

/** In the order of their labels. */
export function liveIds(folder: string): string[] {
  return query<{ id: string }>(folder, 'SELECT id FROM documents WHERE died IS NULL ORDER BY body').map(
    ({ id }) => id,
  );
}

export function query<T>(folder: string, sql: string): T[] {
  const db = new Database(join(folder, 'sluice.db'), { readonly: true });
  try {
    return db.prepare<[], T>(sql).all();
  } finally {
    db.close();
  }
}

/** Changes the database behind the back of its checks. */
export function change(folder: string, sql: string): void {
  const db = new Database(join(folder, 'sluice.db'));
  try {
    db.pragma('foreign_keys = OFF');
    db.exec(sql);
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}

export function copyOf(folder: string): string {
  const copy = join(newFolder(), 'copy');
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** Paths of all files below a folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** A file that the newest state of the keyword index or graph needs: others may lie beside it until they are removed. */
export function neededFile(folder: string, part: string, ending: RegExp): string {
  const names = readdirSync(join(folder, part)).filter((name) => ending.test(name));
  const meta =
    part === 'keywords' ? readFileSync(join(folder, part, 'meta.json'), 'utf8').replaceAll('-', '') : '';
  const needed = names.find((name) => {
    const [id, opstamp] = name.split('.');
    if (part !== 'keywords') return true;
    return (
      meta.includes(id!) && (!name.endsWith('.del') || new RegExp(`"opstamp": ${opstamp}\\b`).test(meta))
    );
  });
  return join(folder, part, needed!);
}
