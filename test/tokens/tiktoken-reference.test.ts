import { describe, expect, it } from 'vitest';
import { packTexts } from '../../src/model/text-column.js';
import { loadTiktokenReference } from '../../src/tokens/index.js';
import { cpuMsOf } from '../cpu-time.js';

describe('loadTiktokenReference', () => {
  const cl100k = loadTiktokenReference('cl100k');

  it('counts what the encoding is known to give', () => {
    expect(cl100k.count('hello world')).toBe(2);
    expect(loadTiktokenReference('gpt2').count('hello world')).toBe(2);
    expect(loadTiktokenReference('r50k').count('    x')).toBeGreaterThan(
      loadTiktokenReference('p50k').count('    x'),
    );
    expect([...cl100k.countAll(packTexts(['', 'hello world', 'a']))]).toEqual([0, 2, 1]);
  });

  it('takes special tokens for plain text (T1)', () => {
    expect(cl100k.count('<|endoftext|>')).toBeGreaterThan(1);
    expect(cl100k.spans('a<|endoftext|>b').end.at(-1)).toBe(15);
  });

  it('gives a token that holds part of a character the whole character', () => {
    const text = 'ö🙂漢';
    const { start, end } = cl100k.spans(text);
    for (let i = 0; i < start.length; i++) {
      const slice = text.slice(start[i], end[i]);
      expect(slice.isWellFormed()).toBe(true);
      expect(slice.length).toBeGreaterThan(0);
    }
    expect([start[0], end.at(-1)]).toEqual([0, text.length]);
  });

  it('stays usable on long runs without a border (T2)', () => {
    const ms = cpuMsOf(() => expect(cl100k.count('a'.repeat(3000))).toBeGreaterThan(100));
    expect(ms).toBeLessThan(500);
    const { start, end } = cl100k.spans(`x ${'_'.repeat(400)} y`);
    expect(end.at(-1)).toBe(404);
    expect(start.every((at, i) => i === 0 || at >= start[i - 1]!)).toBe(true);
  });

  it('refuses an unknown encoding', () => {
    expect(() => loadTiktokenReference('p99k' as never)).toThrow(
      expect.objectContaining({ code: 'SLUICE_USAGE' }),
    );
  });
});
