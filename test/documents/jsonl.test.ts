import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonlBlock } from '../../src/documents/jsonl.js';
import { expectSound } from './structure.js';

const read = (text: string | Uint8Array, firstLine = 1) =>
  readJsonlBlock(typeof text === 'string' ? Buffer.from(text) : text, { source: 'd/a.jsonl', firstLine });
const one = (record: unknown) => read(JSON.stringify(record)).documents[0];

describe('readJsonlBlock', () => {
  it('makes a document of a record', () => {
    const document = one({
      _id: 7,
      title: 'T',
      text: 'a\n\nb',
      metadata: { k: [1] },
      year: 2020,
      tags: ['x'],
      o: { p: 1 },
    });
    expectSound(document!);
    expect(document).toMatchObject({
      id: '7',
      source: 'd/a.jsonl',
      title: 'T',
      format: 'jsonl',
      text: 'a\n\nb',
    });
    expect(document!.metadata).toEqual({ k: [1], year: 2020, tags: ['x'] });
    expect(document!.blocks.start.length).toBe(2);
  });

  it.each([
    [{ id: 'x', text: 't' }, { id: 'x' }],
    [
      { docid: 1.5, contents: 't' },
      { id: '1.5', text: 't' },
    ],
    [{ id: '', body: 't' }, { id: 'd/a.jsonl:1' }],
    [
      { id: null, text: 't' },
      { id: 'd/a.jsonl:1', metadata: { id: null } },
    ],
    [
      { text: 5, content: 't' },
      { text: 't', metadata: { text: 5 } },
    ],
    [
      { title: 'only', text: '' },
      { text: 'only', title: 'only', metadata: {} },
    ],
    [
      { title: 3, text: 't' },
      { title: '', metadata: { title: 3 } },
    ],
    [{ text: 't', k: 1, metadata: { k: 2 } }, { metadata: { k: 2 } }],
    [{ text: 't', metadata: 'm' }, { metadata: { metadata: 'm' } }],
    [{ text: 'a\0b\ud800' }, { text: 'a b\ufffd' }],
  ])('reads %j', (record, expected) => {
    expect(one(record)).toMatchObject(expected);
  });

  it.each([
    ['{"id":1}', 'SLUICE_RECORD_INVALID', 'keys: id'],
    ['{"text":1,"x":2}', 'SLUICE_RECORD_INVALID', 'keys: text, x'],
    ['{}', 'SLUICE_RECORD_INVALID', 'keys: none'],
    ['{"text":"secret', 'SLUICE_RECORD_INVALID', 'is not JSON'],
    ['[1]', 'SLUICE_RECORD_INVALID', 'not a JSON object'],
    ['null', 'SLUICE_RECORD_INVALID', 'not a JSON object'],
    ['{"text":" ","title":""}', 'SLUICE_DOCUMENT_EMPTY', 'neither text nor title'],
    ['{"id":12345678901234567890,"text":"t"}', 'SLUICE_RECORD_INVALID', '2^53'],
    [`{"text":"t","a":${'['.repeat(100)}${']'.repeat(100)}}`, 'SLUICE_RECORD_INVALID', 'deeper'],
  ])('reports %j', (line, code, words) => {
    const { documents, skipped } = read(`{"text":"before"}\n${line}\n{"text":"after"}`, 10);
    expect(documents.map((document) => document.text)).toEqual(['before', 'after']);
    expect(skipped).toMatchObject([{ line: 11, error: { code } }]);
    expect(skipped[0]!.error.message).toContain(words);
    expect(skipped[0]!.error.message).toContain('line 11 of d/a.jsonl');
    expect(skipped[0]!.error.message).not.toContain('secret');
  });

  it('takes a mark, CRLF and blank lines, and refuses bytes that are not UTF-8', () => {
    const { documents, skipped } = read(
      Buffer.concat([
        Buffer.from('\ufeff{"text":"a"}\r\n\r\n \n{"text":"b"}\n'),
        Buffer.from([0x22, 0xff, 0x22]),
      ]),
    );
    expect(documents.map((document) => document.id)).toEqual(['d/a.jsonl:1', 'd/a.jsonl:4']);
    expect(skipped).toMatchObject([{ line: 5, error: { message: 'line 5 of d/a.jsonl is not UTF-8' } }]);
  });

  it('accounts for every line', () => {
    const line = fc.oneof(
      fc.json({ maxDepth: 2 }),
      fc.record({ text: fc.string({ minLength: 1 }) }).map((record) => JSON.stringify(record)),
      fc.constant(''),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const { documents, skipped } = read(lines.join('\n'));
        expect(documents.length + skipped.length).toBe(lines.filter((text) => text.trim() !== '').length);
        for (const document of documents) expectSound(document);
      }),
    );
  });
});
