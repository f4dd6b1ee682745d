import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { StoreReader } from '../../src/model/store.js';
import type { StoreOptions } from '../../src/store/index.js';
import { DIMS } from './documents.mjs';

/** Dials that make everything happen often. */
export const OFTEN = { graphThreshold: 30, keywordCommitChunks: 25, filterThreshold: 5 };

/** How an index keeps its vectors: the form of the graph's file, and what the database holds. */
export interface Kind {
  vectorPrecision: NonNullable<StoreOptions['vectorPrecision']>;
  storedVectors: NonNullable<StoreOptions['storedVectors']>;
}

export const KINDS: readonly Kind[] = (['int8', 'float32'] as const).flatMap((vectorPrecision) =>
  (['float32', 'float16'] as const).map((storedVectors) => ({ vectorPrecision, storedVectors })),
);

export const kindName = ({ vectorPrecision, storedVectors }: Kind) =>
  `${vectorPrecision} graph, ${storedVectors} vectors`;

export const drawnKind = (next: () => number): Kind => KINDS[Math.floor(next() * KINDS.length)]!;

const ENDINGS = { int8: '.graph', float32: '.hnsw' };
const VALUE_BYTES = { float32: 4, float16: 2 };

/** After a commit and a publish of this kind: the derived files are there, in the form that was asked for. */
export async function expectKind(folder: string, reader: StoreReader, kind: Kind): Promise<void> {
  const { documents, chunks, bytes, graphVectors } = await reader.stats();
  if (documents > OFTEN.filterThreshold) expect(bytes.filters, 'filter columns').toBeGreaterThan(0);
  if (chunks > OFTEN.graphThreshold) {
    expect(graphVectors, 'vectors in the graph').toBeGreaterThan(0);
    const endings = readdirSync(join(folder, 'graph')).map((name) => name.slice(name.lastIndexOf('.')));
    expect(endings, 'the form of the graph').toContain(ENDINGS[kind.vectorPrecision]);
  }
  const db = new Database(join(folder, 'sluice.db'), { readonly: true });
  const newest = db.prepare('SELECT length(data) FROM vectors ORDER BY label DESC LIMIT 1').pluck().get();
  db.close();
  expect(newest, 'bytes of a stored vector').toBe(DIMS * VALUE_BYTES[kind.storedVectors]);
}
