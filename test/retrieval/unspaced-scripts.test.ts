import { beforeAll, describe, expect, it } from 'vitest';
import type { SluiceIndex } from '../../src/sluice-index.js';
import { newIndex } from '../index-support.js';

/** From the document to the hit: that words are cut alike when they are indexed and when they are asked for. */
const TEXTS: Record<string, string> = {
  key: '仓库钥匙在抽屉',
  calendar: 'カレンダー更新手順',
  library: '도서관이용안내',
  job: '更新build-job后',
  echo: '风-Whistle echo',
  other: '会议室在二楼，请预约。',
  english: 'The kiln is fired on Mondays.',
};

describe('keywords in scripts without spaces', () => {
  let index: SluiceIndex;
  beforeAll(async () => {
    index = await newIndex();
    await index.add(Object.entries(TEXTS).map(([id, text]) => ({ id, title: 'x', text })));
  });

  it.each([
    ['钥匙', 'key', 'K2'],
    ['钥', 'key', 'K2'],
    ['仓库的钥匙', 'key', 'K2'],
    ['更新', 'calendar', 'K2'],
    ['カレンダー', 'calendar', 'K2'],
    ['이용', 'library', 'K2'],
    ['도서관', 'library', 'K2'],
    ['build', 'job', 'K3'],
    ['job', 'job', 'K3'],
    ['build-job', 'job', 'K3'],
    ['whistle', 'echo', 'K4'],
    ['ECHO', 'echo', 'K4'],
    ['会议室', 'other', 'K2'],
    ['kiln 钥匙', 'key', 'K2'],
  ])('%s finds %s (%s)', async (query, expected) => {
    const { hits } = await index.search(query, { k: 9, legs: { vectors: false }, rerank: false });
    expect(hits.map(({ documentId }) => documentId)).toContain(expected);
    expect(hits.length).toBeLessThan(Object.keys(TEXTS).length);
    for (const { scores } of hits) expect(Number.isFinite(scores.keywords!.bm25)).toBe(true);
  });

  it.each(['门', 'ダブル', '학교', 'whist', 'buil'])('%s finds nothing', async (query) => {
    const { hits } = await index.search(query, { k: 9, legs: { vectors: false }, rerank: false });
    expect(hits).toEqual([]);
  });
});
