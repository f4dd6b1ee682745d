import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readFileDocument } from '../../src/documents/read.js';
import { walkFolders } from '../../src/documents/walk.js';
import { SluiceError } from '../../src/errors.js';
import { expectSound, uncoveredWords } from './structure.js';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

describe('documents of the packages we depend on', () => {
  it('are all read, soundly and without losing a word', async () => {
    let read = 0;
    for await (const entry of walkFolders([{ path: modules, name: 'modules' }], {
      include: ['**/*.md', '**/*.html'],
    })) {
      expect(entry.kind).toBe('file');
      if (entry.kind !== 'file') continue;
      const document = await readFileDocument(entry).catch((error: unknown) => {
        // Some packages ship empty files.
        if (!SluiceError.is(error) || error.code !== 'SLUICE_DOCUMENT_EMPTY') throw error;
      });
      if (!document) continue;
      read++;
      expectSound(document);
      expect(uncoveredWords(document), entry.source).toBe('');
    }
    expect(read).toBeGreaterThan(100);
  });
});
