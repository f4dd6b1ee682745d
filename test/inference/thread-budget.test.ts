import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReleaseCore, ThreadBudget } from '../../src/inference/thread-budget.js';
import { usableCores } from '../../src/threads/cores.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the budget of cores', () => {
  it('has the cores that the process may use', () => {
    expect(new ThreadBudget().cores).toBe(usableCores());
    expect(new ThreadBudget(0.5).cores).toBe(1);
  });

  it('serves a waiting query before bulk work that waited longer', async () => {
    const budget = new ThreadBudget(1);
    const served: string[] = [];
    const release = await budget.acquire('bulk');
    const waiters = (['bulk', 'query', 'bulk', 'query'] as const).map(async (priority, i) => {
      const done = await budget.acquire(priority);
      served.push(`${priority} ${i}`);
      done();
    });
    expect(budget.waitingQueries[0]).toBe(2);
    release();
    await Promise.all(waiters);
    expect(budget.waitingQueries[0]).toBe(0);
    expect(served).toEqual(['query 1', 'query 3', 'bulk 0', 'bulk 2']);
    expect(budget.inUse).toBe(0);
  });

  it('takes a core back once', async () => {
    const budget = new ThreadBudget(2);
    const [first] = await Promise.all([budget.acquire('query'), budget.acquire('query')]);
    first!();
    first!();
    expect(budget.inUse).toBe(1);
  });

  it('never has more in use than there are cores, and serves everybody', async () => {
    const steps = fc.array(fc.constantFrom('query' as const, 'bulk' as const, 'release' as const));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (cores, plan) => {
        const budget = new ThreadBudget(cores);
        const held: ReleaseCore[] = [];
        let asked = 0;
        let served = 0;
        for (const step of plan) {
          if (step === 'release') held.pop()?.();
          else {
            asked++;
            budget.acquire(step).then((release) => {
              served++;
              held.push(release);
            });
          }
          await turn();
          expect(budget.inUse).toBeLessThanOrEqual(cores);
          expect(held.length).toBe(budget.inUse);
        }
        while (held.length > 0) {
          held.pop()!();
          await turn();
        }
        expect(served).toBe(asked);
        expect(budget.peak).toBeLessThanOrEqual(cores);
      }),
      { numRuns: 50 },
    );
  });
});
