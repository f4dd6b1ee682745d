import { describe, expect, it } from 'vitest';
import { ChunkIds } from '../../../src/store/chunk-id.js';
import {
  ChunkChecker,
  checkDocument,
  checkSource,
  vectorsAsBase64,
  vectorsAsLists,
} from '../../../src/store/maintenance/exchange-check.js';

const document = {
  id: 'a',
  source: 'a',
  title: 'A',
  format: 'text',
  metadata: {},
  contentHash: 'x',
  text: 'kiln fired',
};

const ids = new ChunkIds('a');
const chunk = {
  id: ids.next(Buffer.from('kiln')),
  start: 0,
  end: 4,
  startLine: 1,
  endLine: 1,
  page: 0,
  parentStart: 0,
  parentEnd: 4,
  tokens: 1,
  kind: 'prose',
  headingPath: '',
  overLimit: false,
  embeddingHash: null,
  keywords: '',
  keywordsOnly: false,
  vector: [1, 2],
};

function checked(...chunks: unknown[]): unknown[] {
  const checker = new ChunkChecker(document, vectorsAsLists(2));
  return chunks.map((one, i) => checker.next(one, `chunks[${i}]`));
}

describe('a document of an export', () => {
  it('is taken, without what is no field of it', () => {
    expect(checkDocument({ ...document, more: 1 }, 'document')).toEqual(document);
  });

  it.each(['id', 'source', 'title', 'text'])('is refused for a lone surrogate in its %s', (field) => {
    expect(() => checkDocument({ ...document, [field]: 'a\ud800' }, 'document')).toThrow(
      `document.${field} is "a\\ud800", and must be a string without lone surrogates`,
    );
  });

  it.each(Object.keys(document))('is refused without its %s, also where objects inherit one', (field) => {
    const { [field as keyof typeof document]: _left, ...rest } = document;
    const inherited = Object.assign(Object.create(document), rest);
    for (const given of [rest, inherited])
      expect(() => checkDocument(given, 'document')).toThrow(`document.${field} is missing`);
  });

  it('is refused for metadata that no index can keep', () => {
    let metadata: object = {};
    for (let i = 0; i < 300; i++) metadata = { metadata };
    expect(() => checkDocument({ ...document, metadata }, '')).toThrow(/^metadata cannot be kept: .*deeper/);
  });
});

describe('a chunk of an export', () => {
  it('is taken', () => {
    expect(checked(chunk)).toEqual([{ ...chunk, vector: Float32Array.of(1, 2) }]);
  });

  it.each([
    ['start', -1, 'is -1, and must be a whole number'],
    ['start', '0', 'is "0", and must be a whole number'],
    ['end', 11, "behind the document's text of 10 units"],
    ['start', 5, "is 5, behind the chunk's end, 4"],
    ['endLine', 0, 'is 0, before startLine, 1'],
    ['page', -1, 'is -1'],
    ['parentStart', 1, "is 1, behind the chunk's start, 0"],
    ['parentEnd', 3, 'is 3, not from'],
    ['parentEnd', 11, 'is 11, not from'],
    ['tokens', 1.5, 'is 1.5'],
    ['kind', 'verse', 'must be one of prose'],
    ['overLimit', 1, 'must be true or false'],
    ['embeddingHash', 'abc', 'must be 32 hexadecimal digits, or null'],
    ['keywords', null, 'is null, and must be a string'],
    ['vector', [1], 'is no list of 2 numbers'],
    ['vector', [1, '2'], 'is no list of 2 numbers'],
    ['vector', [1, Number.NaN], 'holds NaN'],
    ['vector', [1, 1e300], 'holds Infinity'],
    ['end', 3, 'but a chunk of this text has'],
  ])('is refused for %s %j', (field, value, problem) => {
    expect(() => checked({ ...chunk, [field]: value })).toThrow(problem);
    expect(() => checked({ ...chunk, [field]: value })).toThrow(/^chunks\[0\]\./);
  });

  it('stands in the order of the text', () => {
    const later = { ...chunk, id: ids.next(Buffer.from('fired')), start: 5, end: 10, parentEnd: 10 };
    expect(checked(chunk, later)).toHaveLength(2);
    expect(() => checked(later, chunk)).toThrow('chunks[1].start is 0, and the chunk before it starts at 5');
  });

  it('has a vector in whole base64', () => {
    const read = vectorsAsBase64(2);
    const spelled = Buffer.from(Float32Array.of(1, 2).buffer).toString('base64');
    expect(read(spelled, 'vector')).toEqual(Float32Array.of(1, 2));
    for (const wrong of [spelled.slice(4), `${spelled.slice(0, -3)}!==`, ` ${spelled}`, 5, null])
      expect(() => read(wrong, 'vector')).toThrow(/^vector /);
  });
});

it('a source of an export has an error that is one', () => {
  const source = { source: 'a', size: 1, mtimeMs: -5, status: 'failed', error: null as unknown };
  expect(checkSource(source, 'source')).toEqual(source);
  expect(() => checkSource({ ...source, error: '{' }, 'source')).toThrow('source.error is no JSON');
  expect(() => checkSource({ ...source, error: '{"code":1}' }, 'source')).toThrow('source.error.code is 1');
});
