import type { CommitBatch, LegResult, Store, StoreReader } from '../../src/model/store.js';

export async function idsOf(reader: StoreReader, hits: LegResult): Promise<string[]> {
  return (await reader.chunks(hits.labels)).map((chunk) => chunk.documentId);
}

export async function keywordIds(reader: StoreReader, query: string, k = 1_000): Promise<string[]> {
  return (await idsOf(reader, await reader.searchKeywords(query, k, await reader.select(undefined)))).sort();
}

export async function published(store: Store, ...batches: CommitBatch[]): Promise<StoreReader> {
  const writer = await store.writer();
  for (const one of batches) await writer.commit(one);
  await writer.publish();
  await writer.close();
  return store.reader();
}
