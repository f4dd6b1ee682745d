import { afterEach, describe, expect, it } from 'vitest';
import { folderWith, runCommand, startCommand } from './command.js';

/** Enough for some seconds of embedding on any machine, in files small enough for many commits. */
const FILES = Object.fromEntries(
  Array.from({ length: 120 }, (_, i) => [
    `docs/file-${i}.md`,
    `# File ${i}\n\n${Array.from({ length: 40 }, (_, n) => `Sentence ${n} of file ${i} speaks about kilns, glazes and the number ${i * 40 + n}.`).join(' ')}\n`,
  ]),
);

let folder: Awaited<ReturnType<typeof folderWith>>;
afterEach(() => folder.remove());

async function documents(path: string): Promise<number> {
  const { status, stdout } = await runCommand(['stats', '--json'], path);
  expect(status).toBe(0);
  return JSON.parse(stdout).documents;
}

describe('a run that ends early', () => {
  it('by Ctrl-C: exit status 130, a usable index, and the rest the next time', async () => {
    folder = await folderWith(FILES);
    const run = startCommand(['index', 'docs', '--json', '--progress', 'lines'], folder.path);
    await run.shows('chunks/s');
    run.kill('SIGINT');
    const { status, stdout } = await run.result;
    expect(status).toBe(130);
    const report = JSON.parse(stdout);
    expect(report.interrupted).toBe(true);
    expect(await documents(folder.path)).toBe(report.documents);
    const again = await runCommand(['index', 'docs', '--json'], folder.path);
    expect(again.status).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ documents: 120 - report.documents });
    expect(await documents(folder.path)).toBe(120);
  });

  it('by a second Ctrl-C: at once, by the signal itself, and the index opens', async () => {
    folder = await folderWith(FILES);
    const run = startCommand(['index', 'docs', '--progress', 'lines'], folder.path);
    await run.shows('chunks/s');
    run.kill('SIGINT');
    // Any later, and a fast machine has stopped by itself.
    await run.shows('stopping');
    run.kill('SIGINT');
    const { status, signal, stderr } = await run.result;
    expect({ status, signal }, stderr).toEqual({ status: null, signal: 'SIGINT' });
    expect(stderr).toContain('stopping');
    expect(stderr).not.toContain('terminate called');
    expect(await documents(folder.path)).toBeLessThanOrEqual(120);
  });

  it.each([700, 1_500, 2_500, 4_000])(
    'by kill -9 after %d ms: opens, holds whole documents, and goes on',
    async (ms) => {
      folder = await folderWith(FILES);
      const run = startCommand(['index', 'docs', '--progress', 'none'], folder.path);
      await new Promise((resolve) => setTimeout(resolve, ms));
      run.kill('SIGKILL');
      await run.result;
      const again = await runCommand(['index', 'docs', '--json'], folder.path);
      expect(again.status, again.stdout).toBe(0);
      const { documents: added, filesUnchanged } = JSON.parse(again.stdout);
      expect(added + filesUnchanged).toBe(120);
      expect(await documents(folder.path)).toBe(120);
      const { stdout } = await runCommand(['search', 'number 4799', '--no-vectors', '--json'], folder.path);
      expect(JSON.parse(stdout).hits[0].source).toBe('docs/file-119.md');
    },
  );

  it('while another process writes: a clear error, and searching goes on', async () => {
    folder = await folderWith({ ...FILES, 'more/a.md': '# More\n\nanother folder' });
    const first = startCommand(['index', 'docs', '--progress', 'lines'], folder.path);
    await first.shows('chunks/s');
    const second = await runCommand(['index', 'more', '--json'], folder.path);
    expect(second.status).toBe(1);
    expect(JSON.parse(second.stdout).error.code).toBe('SLUICE_INDEX_LOCKED');
    expect(JSON.parse(second.stdout).error.message).toContain(String(first.pid));
    expect((await runCommand(['search', 'kilns', '--json'], folder.path)).status).toBe(0);
    first.kill('SIGKILL');
    await first.result;
    expect((await runCommand(['index', 'more', '--json'], folder.path)).status).toBe(0);
  });
});
