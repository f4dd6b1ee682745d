import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonlBlock } from '../../src/documents/index.js';
import { itemsOf, leftOut, nameOf } from '../../src/indexing/portion-items.js';
import type { PrepareTask } from '../../src/indexing/prepare-task.js';

const error = { code: 'SLUICE_FILE_CRASHED', message: 'on purpose', details: {} } as const;
const file = { source: 'docs/a.jsonl', size: 10 } as never;

function jsonl(text: string, more: Partial<Extract<PrepareTask, { kind: 'jsonl' }>> = {}): PrepareTask {
  const bytes = new TextEncoder().encode(text);
  return {
    ...{ kind: 'jsonl', file, bytes, firstLine: 7, lastBlock: true, sourceBytes: 99, skipped: [] },
    ...more,
  } as PrepareTask;
}

function parts(task: PrepareTask, edges: number[]): PrepareTask[] {
  const { count, part } = itemsOf(task);
  const cuts = [...new Set([0, ...edges.map((edge) => edge % (count + 1)), count])].sort((a, b) => a - b);
  return cuts.slice(1).map((to, i) => part(cuts[i]!, to));
}

describe('the parts of a portion of lines', () => {
  it('hold what the whole holds, each line under its own number', () => {
    const line = fc.oneof(
      fc.constant(''),
      fc.constant('broken'),
      fc.string().map((text) => JSON.stringify({ id: text || 'x', text: `${text} word` })),
    );
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        fc.array(fc.nat(30)),
        (lines, ends, edges) => {
          const whole = jsonl(lines.join('\n') + (ends ? '\n' : ''));
          const read = (task: PrepareTask) =>
            task.kind === 'jsonl'
              ? readJsonlBlock(task.bytes, { source: 'a', firstLine: task.firstLine })
              : undefined!;
          const pieces = parts(whole, edges);
          const all = read(whole);
          const inParts = pieces.map(read);
          expect(inParts.flatMap(({ documents }) => documents)).toEqual(all.documents);
          expect(inParts.flatMap((one) => one.lines)).toEqual(all.lines);
          expect(inParts.flatMap(({ skipped }) => skipped)).toEqual(all.skipped);
          expect(pieces.map((piece) => (piece as { lastBlock: boolean }).lastBlock)).toEqual(
            pieces.map((_, i) => i === pieces.length - 1),
          );
          const bytes = pieces.reduce(
            (sum, piece) => sum + (piece as { sourceBytes: number }).sourceBytes,
            0,
          );
          expect(bytes).toBe(99);
        },
      ),
    );
  });

  it('leave out one line, and nothing that the portion knew besides', () => {
    const before = { source: 'docs/a.jsonl:3', file: 'docs/a.jsonl', error };
    const [first, last] = parts(jsonl('1\n2\n', { skipped: [before] }), [1]);
    expect(nameOf(first!)).toBe('docs/a.jsonl:7');
    expect(leftOut(first!, error)).toEqual({
      skipped: [{ source: 'docs/a.jsonl:7', file: 'docs/a.jsonl', error }],
      files: [],
      recordsOf: 'docs/a.jsonl',
      bytes: 0,
    });
    expect(leftOut(last!, error)).toEqual({
      skipped: [before, { source: 'docs/a.jsonl:8', file: 'docs/a.jsonl', error }],
      files: [{ file, error: null }],
      recordsOf: 'docs/a.jsonl',
      bytes: 99,
    });
  });
});

it('names files and given documents', () => {
  const files: PrepareTask = { kind: 'files', files: [file, { source: 'docs/b.md', size: 5 } as never] };
  const [, second] = parts(files, [1]);
  expect(leftOut(second!, error)).toMatchObject({
    skipped: [{ source: 'docs/b.md', error }],
    files: [{ error }],
    bytes: 5,
  });
  const inputs: PrepareTask = { kind: 'inputs', inputs: [{ json: '{"id":"d 1","text":""}', text: null }] };
  expect(leftOut(inputs, error)).toEqual({
    skipped: [{ source: 'd 1', error }],
    files: [],
    recordsOf: null,
    bytes: 0,
  });
});
