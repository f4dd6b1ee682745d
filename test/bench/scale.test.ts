import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/model/document.js';
import { packTexts } from '../../src/model/text-column.js';
import { evaluateFilter, parseFilter } from '../../src/store/index.js';
import { load } from './load.js';

const { wordVectors, DIMS } = await load('scale/word-vectors.mjs');
const { passagesOf, SeenPassages } = await load('scale/passages.mjs');
const { questionOf, spreadQuestions } = await load('scale/questions.mjs');
const { FILTER_KINDS, metadataAt } = await load('scale/metadata.mjs');

const vectorsOf = (texts: string[]): Float32Array => {
  const { bytes, offsets } = packTexts(texts);
  return wordVectors(bytes, offsets);
};

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

describe('wordVectors', () => {
  it('gives unit vectors that depend on nothing but their text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { minLength: 1, maxLength: 5 }),
        (texts) => {
          const together = vectorsOf(texts);
          texts.forEach((text, row) => {
            const vector = together.subarray(row * DIMS, (row + 1) * DIMS);
            expect(vector).toEqual(vectorsOf([text]));
            expect(dot(vector, vector)).toBeCloseTo(1, 4);
          });
        },
      ),
    );
  });

  it('brings texts near that share words, whatever their case and order', () => {
    const [text, shuffled, question, other] = [
      'The writer publishes a snapshot of the graph when enough vectors wait outside it.',
      'WAIT outside it, enough vectors: the graph publishes when a writer of the snapshot',
      'when is a snapshot of the graph published by the writer',
      'Roast the aubergines slowly, then peel them and season with lemon and garlic.',
    ].map((one) => vectorsOf([one]));
    expect(dot(text!, shuffled!)).toBeGreaterThan(0.99);
    expect(dot(text!, question!)).toBeGreaterThan(dot(text!, other!) + 0.2);
  });

  it('sees each character of scripts without blanks', () => {
    const [one, near, far] = ['向量数据库', '数据库向量', '今天天气好'].map((text) => vectorsOf([text]));
    expect(dot(one!, near!)).toBeGreaterThan(0.99);
    expect(dot(one!, far!)).toBeLessThan(0.9);
  });
});

describe('passagesOf', () => {
  const words = fc.array(fc.constantFrom('alpha ', 'beta\n', 'gamma\n\n', 'delta\t'), { maxLength: 600 });

  it('cuts slices of 40 to 120 words, one behind another', () => {
    fc.assert(
      fc.property(words, (list) => {
        const text = list.join('');
        let at = 0;
        let covered = 0;
        for (const passage of passagesOf(text)) {
          const found = text.indexOf(passage, at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + passage.length;
          const count = passage.split(/\s+/).length;
          expect(count).toBeGreaterThanOrEqual(40);
          expect(count).toBeLessThanOrEqual(120);
          covered += count;
        }
        expect(list.length - covered).toBeLessThan(40);
      }),
    );
  });

  it('passes over encoded data', () => {
    expect([...passagesOf(`${'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo= '.repeat(100)}`)]).toEqual([]);
  });

  it('are known again', () => {
    const seen = new SeenPassages();
    expect(['one', 'two', 'one'].map((text) => seen.add(text))).toEqual([true, true, false]);
  });
});

describe('questions', () => {
  it('are 4 to 12 words of the passage, in its order', () => {
    const passage = Array.from(
      { length: 60 },
      (_, i) => `word${String.fromCharCode(97 + (i % 26))}${i}`,
    ).join(' ');
    for (let position = 0; position < 50; position++) {
      const question: string = questionOf(passage, position);
      expect(passage).toContain(question);
      expect(question.split(' ').length).toBeGreaterThanOrEqual(4);
      expect(question.split(' ').length).toBeLessThanOrEqual(12);
    }
    expect(questionOf('1 2 3 4 5 6 7', 1)).toBeUndefined();
  });

  it('are spread over all candidates, none twice', () => {
    const candidates = Array.from({ length: 100 }, (_, i) => ({ text: `question ${i % 50}` }));
    const spread: { text: string }[] = spreadQuestions(candidates, 10);
    expect(new Set(spread.map(({ text }) => text)).size).toBe(10);
    expect(spread.at(-1)!.text).toBe('question 45');
  });
});

describe('filter kinds', () => {
  const question = { text: 'x', collection: 'one', otherCollection: 'two' };
  const documents: Metadata[] = Array.from({ length: 2_000 }, (_, position) =>
    metadataAt(position, position % 2 === 0 ? 'one' : 'two', 'package/file.md'),
  );

  it('say the same as their twins', () => {
    for (const { name, filter, allows } of FILTER_KINDS) {
      for (const at of [0, 1, 200]) {
        const parsed = parseFilter(filter(question, at, true));
        for (const metadata of documents) {
          const subject = { id: 'd', source: 's', title: 't', format: 'jsonl' as const, metadata };
          expect(evaluateFilter(parsed, subject), name).toBe(allows(metadata, question, at));
        }
      }
    }
  });

  it('are new for every question when they are to be', () => {
    for (const { filter } of FILTER_KINDS) {
      const fresh = Array.from({ length: 500 }, (_, at) => JSON.stringify(filter(question, at, true)));
      const kept = Array.from({ length: 500 }, (_, at) => JSON.stringify(filter(question, at, false)));
      expect(new Set(fresh).size).toBe(500);
      expect(new Set(kept).size).toBe(1);
    }
  });
});

describe('run.mjs', () => {
  const script = fileURLToPath(new URL('../../bench/scale/run.mjs', import.meta.url));
  const source = fileURLToPath(new URL('../../src', import.meta.url));
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-scale-test-'));
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [script, '--starts', '1', '--graph-threshold', '500', ...args], {
      encoding: 'utf8',
    });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('builds, opens and asks an index with a graph, and finds what the exact scan finds', {
    timeout: 120_000,
  }, () => {
    const size = ['--chunks', '1200', '--questions', '20', '--passages', '2', '--only', '--text', source];
    const { status, stdout, stderr } = run(...size, '--keep', folder, '--json');
    expect(stderr).not.toContain('Error');
    expect(status).toBe(0);
    const { corpus, build, start, legs, serve } = JSON.parse(stdout);
    expect(build.chunks).toBe(corpus.chunks);
    expect(corpus.chunks).toBeGreaterThanOrEqual(1_200);
    expect(build.curve).toHaveLength(10);
    expect(build.disk['sluice.db']).toBeGreaterThan(1_200 * DIMS * 4);
    expect(start.warm[0].answerMs).toBeGreaterThan(start.warm[0].openMs);
    expect(legs.graphVectors).toBe(corpus.chunks);
    for (const { recall, short } of legs.recall) {
      expect(recall).toBeGreaterThan(0.9);
      expect(short).toBe(0);
    }
    for (const { short, forbidden } of serve.kinds) expect([short, forbidden]).toEqual([0, 0]);
  });

  it('asks a built index again, and prints tables with targets', { timeout: 120_000 }, async () => {
    const { status, stdout } = run('--reuse', folder);
    expect(status).toBe(0);
    expect(stdout).toMatch(/recall@10 of the vector leg +\| +[01]\S* +\| ≥ 0\.95 \| (yes|NO)/);
    expect(stdout).not.toContain('NaN');
  });

  it('has exact answers that a plain scan agrees with', async () => {
    const { exactAnswers, questionVector } = await load('scale/exact.mjs');
    const { default: Database } = await import('better-sqlite3');
    const questions = JSON.parse(readFileSync(path.join(folder, 'corpus/questions.json'), 'utf8')).slice(
      0,
      3,
    );
    const file = path.join(folder, 'index/sluice.db');
    const answers = await exactAnswers(file, questions);
    const db = new Database(file, { readonly: true });
    const rows = db
      .prepare<[], { data: Buffer; metadata: string }>(
        'SELECT data, metadata FROM vectors JOIN chunks USING (label) JOIN documents USING (body)',
      )
      .all()
      .map(({ data, metadata }) => ({
        vector: new Float32Array(new Uint8Array(data).buffer),
        metadata: JSON.parse(metadata) as Metadata,
      }));
    db.close();
    const kind = FILTER_KINDS.find(({ name }: { name: string }) => name === '50%');
    questions.forEach((question: { text: string }, at: number) => {
      const query = questionVector(question.text);
      const allowed = rows.filter(({ metadata }) => kind.allows(metadata, question, at));
      const scores = allowed.map(({ vector }) => dot(query, vector)).sort((a, b) => b - a);
      const answer = answers['50%'][at];
      expect(answer.allowed).toBe(allowed.length);
      expect(answer.scores).toHaveLength(10);
      answer.scores.forEach((score: number, rank: number) => {
        expect(score).toBeCloseTo(scores[rank]!, 4);
      });
    });
  });

  it('refuses a folder that holds an index already', () => {
    const { status, stderr } = run('--keep', folder);
    expect(status).toBe(1);
    expect(stderr).toContain('holds an index: name a new folder, or --reuse it');
  });
});
