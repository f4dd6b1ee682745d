import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDocument, readFileDocument } from '../../src/documents/read.js';
import type { DocumentReader } from '../../src/documents/reader.js';
import { walkFolders } from '../../src/documents/walk.js';
import type { FileEntry } from '../../src/documents/walk-entry.js';
import { SluiceError } from '../../src/errors.js';
import type { DocumentInput } from '../../src/model/document.js';
import { blockTexts, expectSound, outlineOf } from './structure.js';
import { folderWith } from './temporary.js';

const entry = (folder: string, name: string, format: FileEntry['format'] = 'text'): FileEntry => ({
  kind: 'file',
  path: join(folder, name),
  source: `docs/${name}`,
  size: 0,
  mtimeMs: 0,
  format,
});

describe('readFileDocument', () => {
  it('tells how many bytes of a file are no characters', async () => {
    const text = 'Größe und Maß, süß und früh. '.repeat(20);
    const folder = folderWith({
      'a.txt': Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0x20, 0xfe])]),
      'b.html': Buffer.concat([Buffer.from(`<script>x</script><p>${text}`), Buffer.from([0xff])]),
      'c.txt': text,
    });
    const broken = { reason: 'bytes that are no characters', chars: 2, isText: true };
    const read = (name: string, format: FileEntry['format']) => readFileDocument(entry(folder, name, format));
    expect(await read('a.txt', 'text')).toMatchObject({ text: `${text}\ufffd \ufffd`, dropped: [broken] });
    const script = { reason: 'script', chars: 1, isText: false };
    expect((await read('b.html', 'html')).dropped).toEqual([script, { ...broken, chars: 1 }]);
    expect((await read('c.txt', 'text')).dropped).toBeUndefined();
  });

  it('reads a folder of three files, the second in a legacy encoding (P4)', async () => {
    const folder = folderWith({
      '1.txt': 'one',
      '2.txt': Buffer.from('93fa967b8cea', 'hex'),
      '3.md': '# three',
    });
    const results: string[] = [];
    for await (const found of walkFolders([{ path: folder, name: 'docs' }])) {
      if (found.kind !== 'file') continue;
      try {
        results.push((await readFileDocument(found)).title);
      } catch (error) {
        results.push(SluiceError.is(error) ? `${error.code} ${error.details.source}` : String(error));
      }
    }
    expect(results).toEqual(['1.txt', 'SLUICE_FILE_ENCODING docs/2.txt', 'three']);
    const declared = await readFileDocument(entry(folder, '2.txt'), { encoding: 'shift_jis' });
    expect(declared.text).toBe('日本語');
  });

  it('reads each format', async () => {
    const folder = folderWith({
      'a.rst': 'T\n=\n\nx',
      'b.html': '<h1>H</h1>',
      'c.py': 'x = 1',
      'd.adoc': '= A',
    });
    expect(outlineOf(await readFileDocument(entry(folder, 'a.rst', 'rst')))).toEqual(['# T']);
    expect((await readFileDocument(entry(folder, 'b.html', 'html'))).text).toBe('H');
    expect((await readFileDocument(entry(folder, 'd.adoc', 'asciidoc'))).title).toBe('A');
    const code = await readFileDocument({ ...entry(folder, 'c.py', 'code'), language: 'python' });
    expect(code).toMatchObject({
      id: 'docs/c.py',
      source: 'docs/c.py',
      title: 'c.py',
      language: 'python',
      metadata: {},
    });
  });

  it('finds the words of UTF-16 files (P1, P3)', async () => {
    const line = 'The staging host is maple-3 in Oslo';
    const folder = folderWith({
      'a.txt': Buffer.from(`\ufeff${line}`, 'utf16le'),
      'b.txt': Buffer.from(line, 'utf16le'),
    });
    for (const name of ['a.txt', 'b.txt'])
      expect((await readFileDocument(entry(folder, name))).text).toBe(line);
  });

  it.each([
    ['gone.txt', 'SLUICE_FILE_UNREADABLE', 'ENOENT'],
    ['folder', 'SLUICE_FILE_UNREADABLE', 'EISDIR'],
    ['binary.txt', 'SLUICE_FILE_BINARY', 'binary'],
    ['blank.txt', 'SLUICE_DOCUMENT_EMPTY', 'no text'],
    ['empty.html', 'SLUICE_DOCUMENT_EMPTY', 'no text'],
  ])('reports %s as %s', async (name, code, words) => {
    const folder = folderWith({
      'folder/x': '',
      'binary.txt': Buffer.from([0, 1, 2, 0]),
      'blank.txt': ' \n',
      'empty.html': '<p></p>',
    });
    const format = name.endsWith('html') ? 'html' : 'text';
    const error = await readFileDocument(entry(folder, name, format)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code, details: { source: `docs/${name}` } });
    expect((error as Error).message).toContain(words);
    expect((error as Error).message).not.toContain(folder);
  });

  it('refuses JSONL, and stops when it is told to', async () => {
    const folder = folderWith({ 'a.jsonl': '{}', 'a.txt': 'x' });
    await expect(readFileDocument(entry(folder, 'a.jsonl', 'jsonl'))).rejects.toMatchObject({
      code: 'SLUICE_USAGE',
    });
    const aborted = readFileDocument(entry(folder, 'a.txt'), { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
  });

  it('reads with a given reader', async () => {
    const folder = folderWith({ 'a.PDF': 'bytes', 'b.txt': 'x' });
    const pdf: DocumentReader = {
      name: 'pdf',
      extensions: ['.pdf'],
      format: 'markdown',
      read: (bytes) => ({ text: `---\na: 1\nb: 1\n---\n# ${bytes.length} bytes`, metadata: { b: 2 } }),
    };
    const document = await readFileDocument(entry(folder, 'a.PDF'), { readers: [pdf] });
    expectSound(document);
    expect(document).toMatchObject({ title: '5 bytes', format: 'markdown', metadata: { a: 1, b: 2 } });
    const broken = { ...pdf, read: () => Promise.reject(new Error('page 3 is torn')) };
    await expect(readFileDocument(entry(folder, 'a.PDF'), { readers: [broken] })).rejects.toMatchObject({
      code: 'SLUICE_FILE_UNREADABLE',
      message: /docs\/a\.PDF.*pdf reader.*page 3 is torn/,
    });
    expect((await readFileDocument(entry(folder, 'b.txt'), { readers: [broken] })).text).toBe('x');
  });

  it('takes the structure that a reader gives', async () => {
    const { sections, blocks } = makeDocument({ id: 'x', text: 'ab' });
    const reader: DocumentReader = {
      name: 'own',
      extensions: ['own'],
      format: 'html',
      read: () => ({ text: '<b', structure: { sections, blocks } }),
    };
    const document = await readFileDocument(entry(folderWith({ 'a.own': '' }), 'a.own'), {
      readers: [reader],
    });
    expect(blockTexts(document)).toEqual([['prose', '<b']]);
  });
});

describe('makeDocument', () => {
  it('finds the structure by the format, text by default', () => {
    expect(makeDocument({ id: 'a', text: '# x' })).toMatchObject({
      title: 'a',
      format: 'text',
      source: 'a',
      metadata: {},
    });
    const markdown = makeDocument({
      id: 'a',
      text: '---\nk: 1\n---\n# x',
      format: 'markdown',
      metadata: { k: 2 },
    });
    expectSound(markdown);
    expect(markdown).toMatchObject({ title: 'x', metadata: { k: 2 } });
    expect(makeDocument({ id: 'a', title: ' My\n title ', text: '# x', format: 'markdown' }).title).toBe(
      'My title',
    );
    expect(makeDocument({ id: 'lib/a.go', text: 'package a', format: 'code' })).toMatchObject({
      title: 'a.go',
      language: 'go',
    });
    expect(makeDocument({ id: 'p', text: '<p>x', format: 'html' }).text).toBe('x');
  });

  it('cleans what cannot be stored', () => {
    expect(makeDocument({ id: 'a', text: '\ufeffa\0b\udc00 \ufb03' }).text).toBe('a b\ufffd \ufb03');
    const metadata = {
      d: new Date(0),
      n: Number.NaN,
      u: undefined,
      f() {},
      b: 2n,
      s: '\ud800',
      a: [undefined],
    };
    expect(makeDocument({ id: 'a', text: 'x', metadata: metadata as never }).metadata).toEqual({
      d: '1970-01-01T00:00:00.000Z',
      n: null,
      b: '2',
      s: '\ufffd',
      a: [null],
    });
  });

  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;

  it.each([
    [{ id: '', text: 'x' }, 'SLUICE_USAGE', 'id'],
    [{ text: 'x' }, 'SLUICE_USAGE', 'id'],
    [{ id: 'a' }, 'SLUICE_USAGE', 'text'],
    [{ id: 'a', text: 'x', format: 'tape' }, 'SLUICE_USAGE', 'must be one of markdown, '],
    [{ id: 'a', text: 'x', metadata: cyclic }, 'SLUICE_USAGE', 'deeper'],
    [{ id: 'a', text: '\n\t\ufeff\u00a0' }, 'SLUICE_DOCUMENT_EMPTY', 'a holds no text'],
  ])('refuses %#', (input, code, words) => {
    const make = () => makeDocument(input as DocumentInput);
    expect(make).toThrow(words);
    expect(make).toThrow(expect.objectContaining({ code }));
  });
});
