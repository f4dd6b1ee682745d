import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EMBEDDED_MODELS, modelFolderPath } from '../../src/inference/model-folder.js';

describe.each(EMBEDDED_MODELS)('%s', (name) => {
  const folder = modelFolderPath(name);

  it('is what SHA256SUMS says, file by file', async () => {
    const sums = (await readFile(join(folder, 'SHA256SUMS'), 'utf8')).trim().split('\n');
    const listed = sums.map((line) => line.split('  ') as [string, string]);
    const files = (await readdir(folder)).filter((file) => file !== 'SHA256SUMS');
    expect(listed.map(([, file]) => file).sort()).toEqual(files.sort());
    for (const [sum, file] of listed) {
      const actual = createHash('sha256')
        .update(await readFile(join(folder, file)))
        .digest('hex');
      expect(`${file} ${actual}`).toBe(`${file} ${sum}`);
    }
  });

  it('has a card with its licence', async () => {
    expect(await readFile(join(folder, 'README.md'), 'utf8')).toMatch(/Apache-2\.0/);
  });
});
