/** Pieces and counts come by a fast way; `spans` has the crates do all the work. Both must see the same tokens. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packTexts } from '../../src/model/text-column.js';
import type { Tokenizer } from '../../src/model/tokenizer.js';
import { loadBpe, loadModelTokenizer } from '../../src/tokens/index.js';
import { temporaryFolder } from '../native-bindings/support.js';

const MODEL = 'models/all-MiniLM-L6-v2/tokenizer.json';

/** The same tokenizer, written so that it isn't recognised: the crate does everything. */
function crateOnly(change: (file: Record<string, unknown>) => void = () => {}): Tokenizer {
  const file = JSON.parse(readFileSync(MODEL, 'utf8')) as Record<string, unknown>;
  change(file);
  file.normalizer = { type: 'Sequence', normalizers: [file.normalizer] };
  return write(file);
}

const folder = temporaryFolder();
let written = 0;

function write(file: Record<string, unknown>): Tokenizer {
  const path = join(folder, `${written++}.json`);
  writeFileSync(path, JSON.stringify(file));
  return loadModelTokenizer(path);
}

function changed(change: (file: Record<string, unknown>) => void): Tokenizer {
  const file = JSON.parse(readFileSync(MODEL, 'utf8')) as Record<string, unknown>;
  change(file);
  return write(file);
}

const cased = (file: Record<string, unknown>) => {
  (file.normalizer as { lowercase: boolean }).lowercase = false;
};

const pairs: [string, Tokenizer, Tokenizer][] = [
  ['cl100k', loadBpe('cl100k'), loadBpe('cl100k')],
  ['o200k', loadBpe('o200k'), loadBpe('o200k')],
  ['WordPiece', loadModelTokenizer(MODEL), crateOnly()],
  ['WordPiece that minds the case', changed(cased), crateOnly(cased)],
];

const CHARACTERS = [
  ...'abcXYZ019 .,;!?\'"-_/\\|#\n\r\t\v\f',
  ...['\u0000', '\u0001', '\u007f', '\u0085', '\u00a0', '\u2028', '\u3000', '\u200b', '\ufeff', '\ufffd'],
  ...[
    'é',
    'ß',
    'ſ',
    'İ',
    'ı',
    'Σ',
    'ς',
    'ǅ',
    'ʰ',
    'ﬁ',
    'e\u0301',
    '\u0301',
    '\u0903',
    '=\u0338',
    '≠',
    'a\u0308\u0323',
  ],
  ...['漢', '字', '。', '，', '「', '豈', '𠀀', 'カ', 'ひ', 'か\u3099', '한', '각', 'ไ', 'नि', 'क्ष'],
  ...['🙂', '👨‍👩‍👧', '🇩🇪', '𝐀', '²', '½', 'Ⅷ', '①', '٣', '’', '“', '…', '—', '\ud83d', '\ude42'],
  ...[
    "'s",
    "'LL",
    "'ſ",
    "'re",
    "don't",
    ' the',
    '  ',
    '\n\n',
    '\r\n',
    '.\n\n',
    '//',
    'camelCase',
    'HTTPServer',
  ],
  ...['unbelievableness', '[SEP]', '<|endoftext|>', 'a'.repeat(100), 'a'.repeat(101), '1234567', '\n \n  '],
];
const texts = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 14 }).map((parts) => parts.join(''));

/** RUNS=100000 looks longer. */
const numRuns = Number(process.env.RUNS ?? 2000);

describe.each(pairs)('%s', (_, fast, slow) => {
  it('has the same tokens by the fast way', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const expected = [...slow.spans(text).start];
        expect([...fast.pieces!(text).starts]).toEqual(expected);
        expect(fast.count(text)).toBe(expected.length);
        expect([...fast.countAll(packTexts([text, '', text]))]).toEqual([
          expected.length,
          0,
          expected.length,
        ]);
      }),
      { numRuns },
    );
  });

  it('has them round every character of the basic plane', () => {
    for (let code = 0x80; code < 0x10000; code += 1) {
      if (code % 7 !== 0 && code > 0x700) continue;
      const c = String.fromCharCode(code);
      const text = `a${c}b ${c} c'${c} 1${c}`;
      expect([...fast.pieces!(text).starts], c).toEqual([...slow.spans(text).start]);
    }
  });

  it('has the same tokens from each piece on, whatever stands before it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { starts, first } = fast.pieces!(text);
        for (let token = 0; token < starts.length; token++) {
          if (first[token] === 0) continue;
          const rest = fast.pieces!(text.slice(starts[token]));
          expect([...rest.starts].map((at) => at + starts[token]!)).toEqual([...starts.slice(token)]);
          expect([...rest.first]).toEqual([...first.slice(token)]);
        }
      }),
      { numRuns: numRuns / 4 },
    );
  });

  it('begins its first token with a piece', () => {
    expect(fast.pieces!('').starts).toHaveLength(0);
    expect(fast.pieces!('word').first[0]).toBe(1);
    expect([...fast.pieces!('aa bb').first]).toEqual([1, 1]);
  });
});

it('makes one piece of a text whose tokenizer it does not know', () => {
  const { starts, first } = crateOnly().pieces!('two words');
  expect([...starts]).toEqual([0, 4]);
  expect([...first]).toEqual([1, 0]);
});
