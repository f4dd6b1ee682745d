import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { IndexReport } from '../../src/index.js';
import { folderWith, type RunningCommand, runCommand, startCommand } from './command.js';

let folder: Awaited<ReturnType<typeof folderWith>>;
let run: RunningCommand;
afterEach(async () => {
  run.kill('SIGKILL');
  await run.result;
  await folder.remove();
});

const path = (name: string) => join(folder.path, name);

describe('sluice index --watch', () => {
  it('prints a JSON line for each run, and ends with 0 by Ctrl-C', async () => {
    folder = await folderWith({
      'docs/kiln.md': '# Kilns\n\nFire slowly.',
      'docs/glaze.md': '# Glazes\n\nDip once.',
    });
    run = startCommand(['index', 'docs', '--watch', '--json'], folder.path);
    const report = async (n: number) => JSON.parse((await run.lines(n))[n - 1]!) as IndexReport;
    expect(await report(1)).toMatchObject({ documents: 2, interrupted: false });
    await run.shows('watching');
    await writeFile(path('docs/glaze.md'), '# Glazes\n\nDip twice.');
    expect(await report(2)).toMatchObject({ documents: 1, filesUnchanged: 1, embedded: 1 });
    await rename(path('docs/kiln.md'), path('docs/ovens.md'));
    expect(await report(3)).toMatchObject({ documents: 1, filesRemoved: 1, embedded: 0, chunksReused: 1 });
    // Another process reads along.
    const { stdout } = await runCommand(['search', 'how often do I dip?', '--json'], folder.path);
    expect(JSON.parse(stdout).hits[0].text).toContain('Dip twice.');
    await rm(path('docs'), { recursive: true });
    expect(await report(4)).toMatchObject({ filesRemoved: 2, documentsRemoved: 2 });
    run.kill('SIGINT');
    expect(await run.result).toMatchObject({ status: 0, signal: null });
  }, 60_000);

  it('prints a line for each run, names what was skipped, and goes on', async () => {
    folder = await folderWith({ 'docs/kiln.md': '# Kilns\n\nFire slowly.' });
    run = startCommand(['index', 'docs', '--watch'], folder.path);
    await run.shows('watching');
    const line = async (pattern: RegExp) => {
      for (let n = 1; ; n++) {
        const text = (await run.lines(n))[n - 1]!;
        if (pattern.test(text)) return text;
      }
    };
    await writeFile(path('docs/bad.md'), new Uint8Array([0, 1, 2, 0, 255, 254, 0, 7]));
    await line(/^\d\d:\d\d:\d\d nothing new, 1 skipped: docs\/bad\.md: .+\[SLUICE_FILE_/);
    await writeFile(path('docs/bad.md'), 'Good now.');
    await line(/1 document in \(1 chunk embedded, 0 known\) in /);
    run.kill('SIGTERM');
    expect(await run.result).toMatchObject({ status: 0, signal: null });
  }, 60_000);

  it('refuses a path that is not there', async () => {
    folder = await folderWith({});
    run = startCommand(['index', 'nowhere', '--watch', '--json'], folder.path);
    const { status, stdout } = await run.result;
    expect(status).toBe(1);
    expect(JSON.parse(stdout).error.code).toBe('SLUICE_NOT_FOUND');
  }, 60_000);
});
