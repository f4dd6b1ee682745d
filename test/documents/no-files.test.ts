import { expect, it } from 'vitest';
import { noFilesHint } from '../../src/documents/no-files.js';

it('blames what was asked for before what is there', () => {
  expect(noFilesHint(0, ['*.md'])).toMatch(/there is no file/);
  expect(noFilesHint(1, undefined)).toMatch(/no reader knows the format of 1 file;/);
  expect(noFilesHint(3, ['*.md'])).toMatch(/no include pattern fits any of 3 files;/);
});
