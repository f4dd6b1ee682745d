import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readQrels, readQueries } from '../../src/evaluation/index.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-beir-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const at = path.join(folder, name);
  await writeFile(at, content);
  return at;
}

const plain = (qrels: Map<string, Map<string, number>>) =>
  Object.fromEntries(Array.from(qrels, ([id, judged]) => [id, Object.fromEntries(judged)]));

describe('queries', () => {
  const lines = '{"_id":"q1","text":"what is a kiln"}\n{"_id":2,"text":"Öfen 窯","metadata":{}}\n';

  it.each([
    ['plain', 'queries.jsonl', lines],
    ['packed', 'queries.jsonl.gz', gzipSync(lines)],
    [
      'with CRLF, a byte order mark, blank lines and no last line end',
      'crlf.jsonl',
      `\ufeff${lines.replaceAll('\n', '\r\n\r\n').trimEnd()}`,
    ],
  ])('are read %s', async (_, name, content) => {
    expect([...(await readQueries(await file(name, content)))]).toEqual([
      ['q1', 'what is a kiln'],
      ['2', 'Öfen 窯'],
    ]);
  });

  it('are read across the borders of read buffers, in characters of several bytes', async () => {
    const many = Array.from({ length: 5_000 }, (_, i) =>
      JSON.stringify({ _id: `${i}`, text: `窯😀 ${'ö'.repeat(i % 40)}` }),
    );
    const queries = await readQueries(await file('many.jsonl', many.join('\n')));
    expect(queries.size).toBe(5_000);
    expect(queries.get('4999')).toBe(`窯😀 ${'ö'.repeat(4999 % 40)}`);
  });

  it.each([
    [
      'no JSON',
      'SLUICE_RECORD_INVALID',
      '{"_id":"a","text":"b"}\n{"_id":',
      /bad\.jsonl:2: the line is not JSON/,
    ],
    ['no object', 'SLUICE_RECORD_INVALID', '7', /:1: the line is not an object/],
    ['no id', 'SLUICE_RECORD_INVALID', '\n{"text":"b"}', /:2: the line has no '_id'/],
    ['no text', 'SLUICE_RECORD_INVALID', '{"_id":"a"}', /:1: the line has no 'text'/],
    [
      'one id twice',
      'SLUICE_DUPLICATE_ID',
      '{"_id":"a","text":"b"}\n{"_id":"a","text":"c"}',
      /:2: query 'a' stands here again/,
    ],
    ['no UTF-8', 'SLUICE_FILE_ENCODING', Uint8Array.of(0x7b, 0xff, 0xfe), /is not UTF-8 near line 1/],
  ])('with %s name file and line', async (_, code, content, message) => {
    const reading = readQueries(await file('bad.jsonl', content));
    await expect(reading).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('that are missing or cut off are errors, not an endless wait', async () => {
    const missing = path.join(folder, 'none.jsonl');
    await expect(readQueries(missing)).rejects.toMatchObject({ code: 'SLUICE_NOT_FOUND' });
    await expect(readQueries(`${missing}.gz`)).rejects.toMatchObject({ code: 'SLUICE_NOT_FOUND' });
    const cut = await file('cut.jsonl.gz', gzipSync(lines.repeat(100)).subarray(0, 40));
    await expect(readQueries(cut)).rejects.toMatchObject({ code: 'SLUICE_FILE_UNREADABLE' });
    await expect(readQueries(folder)).rejects.toMatchObject({ code: 'SLUICE_FILE_UNREADABLE' });
  });
});

describe('judgements', () => {
  const wanted = { q1: { d1: 1, d2: 0 }, q2: { d1: 3 } };

  it.each([
    ['with a header', 'query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td1\t3\n'],
    ['without one', 'q1\td1\t1\nq1\td2\t0\nq2\td1\t3'],
    ['in four columns', 'q1\t0\td1\t1\nq1\t0\td2\t0\nq2\t0\td1\t3\n'],
    ['in columns of blanks', 'q1 0 d1 1\nq1 0  d2 0\n\nq2 Q0 d1 3\r\n'],
    ['with one of them twice', 'q1\td1\t1\nq1\td1\t1\nq1\td2\t0\nq2\td1\t3'],
  ])('are read %s', async (_, content) => {
    expect(plain(await readQrels(await file('qrels.tsv', content)))).toEqual(wanted);
    expect(plain(await readQrels(await file('qrels.tsv.gz', gzipSync(content))))).toEqual(wanted);
  });

  it('keep blanks inside ids where tabs part the columns', async () => {
    expect(plain(await readQrels(await file('qrels.tsv', 'q 1\ta file.md\t2')))).toEqual({
      'q 1': { 'a file.md': 2 },
    });
  });

  it.each([
    ['too few columns', 'q1\td1', /qrels\.tsv:1: the line has 2 columns instead of 3 \(BEIR\) or 4 \(TREC\)/],
    [
      'a grade that is no number',
      'q1\td1\t1\nq1\td2\thigh',
      /:2: the line has the grade 'high', which is no number/,
    ],
    ['an empty id', 'q1\t\t1', /:1: the line has an empty id/],
    [
      'two grades for a pair',
      'q1\td1\t1\nq1\td1\t2',
      /:2: the line grades 'd1' 2 for query 'q1', where 1 stood before/,
    ],
  ])('with %s name file and line', async (_, content, message) => {
    const reading = readQrels(await file('qrels.tsv', content));
    await expect(reading).rejects.toMatchObject({
      code: 'SLUICE_RECORD_INVALID',
      message: expect.stringMatching(message),
    });
  });
});
