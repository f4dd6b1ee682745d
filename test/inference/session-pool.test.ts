import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { WorkerTask } from '../../src/inference/protocol.js';
import { SessionPool } from '../../src/inference/session-pool.js';
import { removeFolders, temporaryFolder } from './support.js';

afterAll(removeFolders);

async function poolOf(source: string): Promise<SessionPool> {
  const file = join(await temporaryFolder(), 'worker.mjs');
  await writeFile(file, source);
  return new SessionPool(2, { channel: 'test', waitingQueries: undefined }, pathToFileURL(file).href);
}

const TASK = { kind: 'open' } as unknown as WorkerTask;

describe('a worker that cannot start', () => {
  it('fails every task with the reason, and no worker is started for ever', async () => {
    const pool = await poolOf(`throw new Error('libc.musl: no such library');`);
    for (let round = 0; round < 2; round++) {
      const failures = await Promise.all([TASK, TASK, TASK].map((task) => pool.run(task).catch((e) => e)));
      for (const failure of failures) {
        expect(failure).toMatchObject({
          code: 'SLUICE_MODEL_FAILED',
          message: expect.stringMatching(/worker died: libc\.musl: no such library/),
        });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(pool.threads).toBe(0);
    await pool.close();
  });
});

describe('a worker that dies', () => {
  it('fails its task, and the next one gets another worker', async () => {
    const pool = await poolOf(`
      export default (task) => (task.die ? process.exit(3) : { value: 'alive' });
    `);
    await expect(pool.run({ ...TASK, die: true } as unknown as WorkerTask)).rejects.toMatchObject({
      code: 'SLUICE_MODEL_FAILED',
      message: expect.stringMatching(/worker exited with code: 3/),
    });
    expect(await pool.run(TASK)).toEqual({ value: 'alive' });
    await pool.close();
    await pool.close();
    expect(pool.threads).toBe(0);
  });
});
