import { describe, expect, it } from 'vitest';
import { ProgressRun } from '../src/progress-run.js';

const runOf = (report: Promise<number>) =>
  new ProgressRun(Promise.resolve({ progress: () => 'half', report }), (settled) => settled * 2);

describe('a run', () => {
  it('is a promise of its settled report', async () => {
    const run: Promise<number> = runOf(Promise.resolve(4));
    let ended = 0;
    expect(await run.finally(() => ended++)).toBe(8);
    expect(ended).toBe(1);
    expect(await run.catch(() => -1)).toBe(8);
    expect(await Promise.all([run, run.then((report) => report + 1)])).toEqual([8, 9]);
  });

  it('hands its failure to catch, and to finally', async () => {
    const run = runOf(Promise.reject(new Error('kiln')));
    let ended = 0;
    expect(await run.catch((error) => (error as Error).message)).toBe('kiln');
    await expect(run.finally(() => ended++)).rejects.toThrow('kiln');
    expect(ended).toBe(1);
  });
});
