import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workerUrl } from '../../src/threads/worker-url.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-process-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const built = (file: string) => workerUrl(import.meta.resolve('../../src/index.ts'), file).href;
const IMPORTS = `
import { openEmbedder } from ${JSON.stringify(built('./embedding/local.js'))};
import { openReranker } from ${JSON.stringify(built('./reranking/local.js'))};
import { packTexts } from ${JSON.stringify(built('./model/text-column.js'))};
`;

/** Runs a module in a process of its own. */
async function run(source: string) {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.mjs`);
  await writeFile(file, IMPORTS + source);
  const child = spawn(process.execPath, ['--expose-gc', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (piece) => (stdout += piece));
  child.stderr.on('data', (piece) => (stderr += piece));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on('close', (...end) => resolve(end));
  });
  return { code, signal, stdout, stderr };
}

const CLEAN = { code: 0, signal: null, stderr: '' };

// Each starts processes that load both models: seconds on an idle machine, many more on a busy one.
describe('a process', { timeout: 240_000 }, () => {
  it('ends by itself, with nothing on stderr, after all was closed', async () => {
    const source = `
      const [embedder, reranker] = await Promise.all([openEmbedder(), openReranker()]);
      const column = packTexts(Array.from({ length: 30 }, (_, i) => 'text ' + i));
      const { matrix } = await embedder.embed(column, 'passage');
      const { scores } = await reranker.score('text 3', column);
      await Promise.all([embedder.close(), reranker.close()]);
      console.log(matrix.rows, scores.length);
    `;
    for (let round = 0; round < 3; round++) {
      expect(await run(source)).toEqual({ ...CLEAN, stdout: '30 30\n' });
    }
  });

  it('ends by itself even if nobody closed anything', async () => {
    const source = `
      const embedder = await openEmbedder();
      await embedder.embed(packTexts(['a', 'b']), 'passage');
      await embedder.embed(packTexts(['a']), 'query');
      console.log('done');
    `;
    expect(await run(source)).toEqual({ ...CLEAN, stdout: 'done\n' });
  });

  it('ends when a model could not be loaded, with the cause', async () => {
    const source = `await openEmbedder({ model: 'nowhere' }).catch((error) => console.log(error.code));`;
    expect(await run(source)).toEqual({ ...CLEAN, stdout: 'SLUICE_MODEL_INVALID\n' });
  });

  it('does not grow by opening and closing', async () => {
    const source = `
      const rss = [];
      for (let round = 0; round < 16; round++) {
        const embedder = await openEmbedder();
        await embedder.embed(packTexts(['one text']), 'passage');
        await embedder.close();
        gc();
        rss.push(process.memoryUsage().rss / 1e6);
      }
      console.log(JSON.stringify(rss));
    `;
    const { stdout, ...rest } = await run(source);
    expect(rest).toEqual(CLEAN);
    const rss = JSON.parse(stdout) as number[];
    // Megabytes a round, once caches are filled.
    expect((rss[15]! - rss[5]!) / 10).toBeLessThan(4);
  });
});
