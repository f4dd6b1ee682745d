import { describe, expect, it } from 'vitest';
import { formatOf } from '../../src/documents/formats.js';

describe('formatOf', () => {
  it.each([
    ['a.md', 'markdown', undefined],
    ['A.MARKDOWN', 'markdown', undefined],
    ['a.mdx', 'markdown', undefined],
    ['a.xhtml', 'html', undefined],
    ['a.rst', 'rst', undefined],
    ['a.adoc', 'asciidoc', undefined],
    ['a.org', 'text', undefined],
    ['a.csv', 'csv', undefined],
    ['a.TSV', 'csv', undefined],
    ['a.ipynb', 'notebook', undefined],
    ['a.geojson', 'json', undefined],
    ['a.jsonc', 'json', undefined],
    ['README', 'text', undefined],
    ['a.jsonl', 'jsonl', undefined],
    ['a.ndjson.gz', 'jsonl', undefined],
    ['a.d.ts', 'code', 'typescript'],
    ['a.tsx', 'code', 'typescript'],
    ['a.hpp', 'code', 'cpp'],
    ['a.yml', 'code', 'yaml'],
    ['Dockerfile', 'code', 'dockerfile'],
    ['package.json', 'json', undefined],
  ])('reads %s as %s', (name, format, language) => {
    expect(formatOf(name)).toEqual(language === undefined ? { format } : { format, language });
  });

  it.each([
    'a.png',
    'a',
    '.md',
    'a.gz',
    'package-lock.json',
    'yarn.lock',
    'Cargo.lock',
    'jquery.min.js',
    'a.constructor',
  ])('leaves %s out', (name) => {
    expect(formatOf(name)).toBeUndefined();
  });
});
