import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { folderWith, startCommand } from './command.js';

const CHUNKER = resolve('test/fixtures/modules/hostile-chunker.mjs');
/** So little that a file of six million characters is a monstrous one. */
const LITTLE_MEMORY = ['--max-old-space-size=64'];
const MONSTROUS = Array.from(
  { length: 120_000 },
  (_, i) => `# Heading ${i}\n\nSome *text* of [section](x) ${i}.\n\n`,
).join('');

let folder: Awaited<ReturnType<typeof folderWith>>;
afterEach(() => folder.remove());

describe('a file that takes all memory of its worker', () => {
  it('is skipped, and the rest is indexed', async () => {
    folder = await folderWith({ 'docs/a.md': 'one', 'docs/m.md': MONSTROUS, 'docs/z.md': 'two' });
    const run = startCommand(['index', 'docs', '--json', '--progress', 'none'], folder.path, LITTLE_MEMORY);
    const { status, stdout, stderr } = await run.result;
    expect(status, stderr).toBe(3);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ documents: 2, filesDone: 2, filesFailed: 1 });
    expect(report.skippedItems).toEqual([
      {
        source: 'docs/m.md',
        error: expect.objectContaining({
          code: 'SLUICE_FILE_CRASHED',
          message: expect.stringMatching(/docs\/m.md died of it: .*out of memory; .*--max-old-space-size/),
        }),
      },
    ]);
  }, 120_000);

  it("is the module's fault where a module is at it", async () => {
    folder = await folderWith({ 'docs/a.md': 'one', 'docs/m.md': 'MEMORY', 'docs/z.md': 'two' });
    const args = ['audit', 'docs', '--json', '--chunker', CHUNKER];
    const { stdout, stderr } = await startCommand(args, folder.path, LITTLE_MEMORY).result;
    expect(stderr).toBe('');
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ documents: 2, filesFailed: 1 });
    expect(report.skippedByCode).toEqual({ SLUICE_MODULE_STOPPED: 1 });
  }, 120_000);
});

it('Ctrl-C ends a run whose chunker never comes back', async () => {
  folder = await folderWith({ 'docs/a.md': 'LOOP' });
  const args = ['index', 'docs', '--json', '--progress', 'lines', '--chunker', CHUNKER];
  const run = startCommand(args, folder.path);
  await run.shows('0 ');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  run.kill('SIGINT');
  const { status, stdout, stderr } = await run.result;
  expect(status, stderr).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ interrupted: true, documents: 0 });
}, 60_000);
