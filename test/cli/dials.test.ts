import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { folderWith, runCommand } from './command.js';

let folder: Awaited<ReturnType<typeof folderWith>>;

beforeAll(async () => {
  folder = await folderWith({ 'a/one.md': '# Kiln\n\nThe kiln.\n', 'b/two.md': '# Hours\n\nClosed.\n' });
});

afterAll(() => folder.remove());

function ask(sql: string): unknown[] {
  const db = new Database(join(folder.path, '.sluice', 'sluice.db'), { readonly: true });
  try {
    return db.prepare(sql).pluck().all();
  } finally {
    db.close();
  }
}

it('the dials of the graph and the form of stored vectors are set when an index is made, and stay', async () => {
  const dials = ['--links', '24', '--effort', '90', '--precision', 'float32', '--stored-vectors', 'float16'];
  expect(await runCommand(['index', 'a', ...dials], folder.path)).toMatchObject({ status: 0 });
  expect(await runCommand(['index', 'b', '--effort', '300'], folder.path)).toMatchObject({ status: 0 });
  expect(JSON.parse(ask("SELECT value FROM settings WHERE key = 'dials'")[0] as string)).toEqual({
    graphLinks: 24,
    graphEffort: 300,
    vectorPrecision: 'float32',
    storedVectors: 'float16',
  });
  expect(ask('SELECT length(data) FROM vectors')).toEqual([768, 768]);
  expect((await runCommand(['search', 'kiln', '--ef', '300', '--json'], folder.path)).status).toBe(0);
});

it.each([
  ['--links', '1', 'from 2 to 100'],
  ['--effort', '0', 'of 1 or more'],
  ['--precision', 'int4', 'int8, float32'],
  ['--stored-vectors', 'int8', 'float32, float16'],
])('%s %s is refused with what it may be', async (name, value, message) => {
  const { status, stderr } = await runCommand(['index', 'a', name, value], folder.path);
  expect(status).toBe(2);
  expect(stderr).toContain(message);
});
