import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { load } from './load.js';

const { latencyByStage } = await load('lib/latency.mjs');
const { readQueries } = await load('lib/queries.mjs');
const { quarters } = await load('lib/memory.mjs');

describe('latencyByStage', () => {
  it('takes percentiles over the searches in which a stage ran', () => {
    const timings = Array.from({ length: 100 }, (_, i) => ({
      totalMs: i + 1,
      stages: [{ stage: 'legs', ms: 1 }, ...(i < 4 ? [{ stage: 'rerank', ms: 10 * (i + 1) }] : [])],
    }));
    expect(latencyByStage(timings)).toEqual([
      { stage: 'total', count: 100, p50: 50, p95: 95, p99: 99, max: 100 },
      { stage: 'legs', count: 100, p50: 1, p95: 1, p99: 1, max: 1 },
      { stage: 'rerank', count: 4, p50: 20, p95: 40, p99: 40, max: 40 },
    ]);
  });
});

describe('readQueries', () => {
  it('reads BEIR lines, gzipped or not, and names a line without a text', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-queries-'));
    try {
      const lines = '{"_id":"1","text":"what is a graph?"}\n\n{"_id":"2","text":"第二"}\n';
      const plain = path.join(folder, 'queries.jsonl');
      writeFileSync(plain, lines);
      writeFileSync(`${plain}.gz`, gzipSync(lines));
      expect(readQueries(plain)).toEqual(['what is a graph?', '第二']);
      expect(readQueries(`${plain}.gz`)).toEqual(readQueries(plain));
      writeFileSync(plain, '{"_id":"1"}\n');
      expect(() => readQueries(plain)).toThrow('queries.jsonl:1: no "text"');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

it('quarters of a run end with its last sample', () => {
  expect(quarters([0, 1, 2, 3, 4])).toEqual([1, 2, 3, 4]);
  expect(quarters([5])).toEqual([5, 5, 5, 5]);
});
