/** A model's own tokenizer: nothing cut off, nothing padded, nothing injected, and spans that lead back. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../cpu-time.js';
import { codeOf, columns, native, TOKENIZER_FILE, temporaryFolder } from './support.js';
import { AWKWARD } from './texts.js';

const folder = temporaryFolder();
const model = native.ModelTokenizer.fromFile(TOKENIZER_FILE);
const vocabulary = (
  JSON.parse(readFileSync(TOKENIZER_FILE, 'utf8')) as { model: { vocab: Record<string, number> } }
).model.vocab;
const CLS = vocabulary['[CLS]']!;
const SEP = vocabulary['[SEP]']!;
const RESERVED = new Set(['[CLS]', '[SEP]', '[PAD]', '[MASK]'].map((token) => vocabulary[token]!));

const ids = (text: string, special = false): number[] => [
  ...model.encodeRows(...columns([text]), special).ids,
];
const count = (text: string): number => model.countRows(...columns([text]))[0]!;

it('knows the tokens of common words', () => {
  expect(ids('Hello, World')).toEqual(['hello', ',', 'world'].map((token) => vocabulary[token]));
  expect(ids('unaffable')).toEqual(['una', '##ffa', '##ble'].map((token) => vocabulary[token]));
  expect(ids('hello', true)).toEqual([CLS, vocabulary.hello, SEP]);
  expect(ids('', true)).toEqual([CLS, SEP]);
  expect([model.specialTokens, model.specialTokensPair]).toEqual([2, 3]);
});

it('ignores the truncation and the padding that the file asks for', () => {
  const file = JSON.parse(readFileSync(TOKENIZER_FILE, 'utf8')) as Record<string, unknown>;
  file.truncation = { direction: 'Right', max_length: 128, strategy: 'LongestFirst', stride: 0 };
  file.padding = {
    strategy: { Fixed: 128 },
    direction: 'Right',
    pad_to_multiple_of: null,
    pad_id: 0,
    pad_type_id: 0,
    pad_token: '[PAD]',
  };
  const path = join(folder, 'limits.json');
  writeFileSync(path, JSON.stringify(file));
  const limited = native.ModelTokenizer.fromFile(path);
  for (const words of [1, 127, 128, 1000]) {
    const column = columns(['word '.repeat(words)]);
    expect(limited.countRows(...column)[0]).toBe(words);
    expect(limited.encodeRows(...column, true).ids).toHaveLength(words + 2);
    expect(limited.encodePairs('query here', ...column).ids).toHaveLength(words + 5);
  }
  expect([limited.specialTokens, limited.specialTokensPair]).toEqual([2, 3]);
});

it('reads the text of a special token as text', () => {
  const spelled = '[CLS] [SEP] [MASK] [PAD] [SEP][CLS]';
  expect(ids('[SEP]')).toEqual(['[', 'sep', ']'].map((token) => vocabulary[token]));
  const found = ids(spelled, true);
  expect(found.slice(1, -1).filter((id) => RESERVED.has(id))).toEqual([]);
  const pair = model.encodePairs(spelled, ...columns([spelled, `a ${spelled}`]));
  expect([...pair.ids].filter((id) => id === CLS)).toHaveLength(2);
  expect([...pair.ids].filter((id) => id === SEP)).toHaveLength(4);
});

it('does not let a vocabulary smuggle a separator in', () => {
  // Vocabularies of sentence pieces hold </s> as a piece that text can spell.
  const file = {
    version: '1.0',
    added_tokens: [
      {
        id: 1,
        content: '</s>',
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
      },
    ],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '</s>', type_id: 0 } }],
      pair: [
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '</s>', type_id: 0 } },
        { Sequence: { id: 'B', type_id: 1 } },
        { SpecialToken: { id: '</s>', type_id: 1 } },
      ],
      special_tokens: { '</s>': { id: '</s>', ids: [1], tokens: ['</s>'] } },
    },
    decoder: null,
    model: {
      type: 'Unigram',
      unk_id: 0,
      vocab: [
        ['<unk>', 0],
        ['</s>', 0],
        ['a', -1],
        ['b', -1],
      ],
      byte_fallback: false,
    },
  };
  const path = join(folder, 'unigram.json');
  writeFileSync(path, JSON.stringify(file));
  const pieces = native.ModelTokenizer.fromFile(path);
  const column = columns(['a</s>b']);
  expect([...pieces.encodeRows(...column, true).ids]).toEqual([2, 0, 3, 1]);
  expect([...pieces.encodePairs('</s>', ...column).ids]).toEqual([0, 1, 2, 0, 3, 1]);
  expect([...pieces.encodePairs('</s>', ...column).typeIds]).toEqual([0, 0, 1, 1, 1, 1]);
  expect(pieces.countRows(...column)[0]).toBe(3);
});

it('encodes pairs as the parts with separators', () => {
  const texts = Object.values(AWKWARD);
  const { ids: all, rowOffsets, typeIds } = model.encodePairs('What is it?', ...columns(texts));
  const query = ids('What is it?');
  expect(all).toHaveLength(rowOffsets.at(-1)!);
  expect(typeIds).toHaveLength(all.length);
  texts.forEach((text, row) => {
    const [from, to] = [rowOffsets[row]!, rowOffsets[row + 1]!];
    const passage = ids(text);
    expect([...all.subarray(from, to)]).toEqual([CLS, ...query, SEP, ...passage, SEP]);
    const types = [...Array(query.length + 2).fill(0), ...Array(passage.length + 1).fill(1)];
    expect([...typeIds.subarray(from, to)]).toEqual(types);
  });
});

describe.each(Object.entries(AWKWARD))('%s', (_, text) => {
  it('is counted as it is encoded, alone and among others', () => {
    expect(count(text)).toBe(ids(text).length);
    expect(ids(text, true)).toEqual([CLS, ...ids(text), SEP]);
    const { ids: many, rowOffsets } = model.encodeRows(...columns(['x', text, '', text]), false);
    expect([...many.subarray(rowOffsets[1], rowOffsets[2])]).toEqual(ids(text));
    expect([...many.subarray(rowOffsets[3], rowOffsets[4])]).toEqual(ids(text));
    expect(rowOffsets[2]).toBe(rowOffsets[3]);
  });

  it('has spans that lead back to the source', () => {
    expectSpans(text);
  });
});

function expectSpans(text: string): void {
  const spans = model.spans(text);
  expect(spans).toHaveLength(count(text) * 2);
  let last = 0;
  for (let i = 0; i < spans.length; i += 2) {
    const [start, end] = [spans[i]!, spans[i + 1]!];
    expect(start).toBeGreaterThanOrEqual(last);
    expect(end).toBeGreaterThan(start);
    expect(end).toBeLessThanOrEqual(text.length);
    expect(text.slice(start, end).isWellFormed()).toBe(true);
    last = start;
  }
}

it('has spans that lead back for random text', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(text, (text) => {
      expectSpans(text.toWellFormed());
    }),
    { numRuns: 300 },
  );
});

it('has spans that slice the words out', () => {
  const text = 'Ein Café — naïve 🙂 ünïcode';
  const spans = model.spans(text);
  const slices = Array.from({ length: spans.length / 2 }, (_, i) =>
    text.slice(spans[i * 2], spans[i * 2 + 1]),
  );
  expect(slices.join('')).toBe(text.replaceAll(' ', ''));
  expect(slices).toContain('Café');
});

it('takes time in proportion to the length', () => {
  for (const long of ['a'.repeat(100_000), 'ab '.repeat(33_333), '.'.repeat(100_000)]) {
    const time = (text: string): number => {
      const column = columns([text]);
      const started = cpuMs();
      model.countRows(...column);
      return cpuMs() - started;
    };
    const best = (text: string) => Math.min(...[1, 2, 3, 4].map(() => time(text)));
    // 4 is linear and 16 quadratic; below a millisecond or two the clock decides.
    expect(best(long)).toBeLessThan(Math.max(best(long.slice(0, 25_000)), 1.5) * 10);
  }
});

it('says why a file is no tokenizer', async () => {
  expect(await codeOf(() => native.ModelTokenizer.fromFile(join(folder, 'none.json')))).toBe(
    'SLUICE_NOT_FOUND',
  );
  const path = join(folder, 'broken.json');
  for (const content of ['', '{', '{}', '[]', '{"model":{"type":"WordPiece"}}']) {
    writeFileSync(path, content);
    expect(await codeOf(() => native.ModelTokenizer.fromFile(path)), content).toBe('SLUICE_MODEL_INVALID');
  }
});
