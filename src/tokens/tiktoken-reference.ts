/**
 * The same encodings by js-tiktoken: what the native ones are tested against, and the way to encodings that the
 * native crate lacks. About a tenth as fast.
 */

import { createRequire } from 'node:module';
import type { TiktokenBPE } from 'js-tiktoken/lite';
import { SluiceError } from '../errors.js';
import { textAt, textCount } from '../model/text-column.js';
import type { Tokenizer, TokenSpans } from '../model/tokenizer.js';
import { spansFromByteLengths } from './byte-spans.js';

const RANK_FILES = {
  cl100k: 'cl100k_base',
  o200k: 'o200k_base',
  p50k: 'p50k_base',
  r50k: 'r50k_base',
  gpt2: 'gpt2',
} as const;

export type TiktokenName = keyof typeof RANK_FILES;

/**
 * js-tiktoken merges in time quadratic in the length of a run without a word border: 3,000 equal letters take 10
 * seconds. Texts with a run longer than this are encoded in pieces, and may count a few tokens more than the exact
 * encoding has.
 */
const MAX_RUN_CHARS = 256;
const PIECE_CHARS = 64;
const LONG_RUN = new RegExp(`\\S{${MAX_RUN_CHARS},}|\\s{${MAX_RUN_CHARS},}`);
const RUNS = new RegExp(
  `\\S{${MAX_RUN_CHARS},}|\\s{${MAX_RUN_CHARS},}|(?:(?!\\S{${MAX_RUN_CHARS}}|\\s{${MAX_RUN_CHARS}})[^])+`,
  'g',
);

const require = createRequire(import.meta.url);
const loaded = new Map<TiktokenName, Tokenizer>();

/**
 * Loads an encoding, once a thread: some 200 ms. Special tokens such as `<|endoftext|>` are plain text. The name for
 * the passport is the same as the native twin's, because the tokens are the same.
 * @throws SLUICE_USAGE for an unknown name
 */
export function loadTiktokenReference(name: TiktokenName): Tokenizer {
  const known = loaded.get(name);
  if (known) return known;
  if (!Object.hasOwn(RANK_FILES, name)) {
    throw new SluiceError('SLUICE_USAGE', `encoding ${String(name)} is unknown`, {
      hint: `use one of ${Object.keys(RANK_FILES).join(', ')}`,
      details: { name, allowed: Object.keys(RANK_FILES) },
    });
  }
  const tokenizer = makeTokenizer(name);
  loaded.set(name, tokenizer);
  return tokenizer;
}

function makeTokenizer(name: TiktokenName): Tokenizer {
  const { Tiktoken } = require('js-tiktoken/lite') as typeof import('js-tiktoken/lite');
  const ranks = loadRanks(RANK_FILES[name]);
  const encoding = new Tiktoken(ranks);
  const byteLengths = tokenByteLengths(ranks);
  const encodeWhole = (text: string) => encoding.encode(text, [], []);
  const encode = (text: string) =>
    LONG_RUN.test(text) ? encodeInPieces(text, encodeWhole) : encodeWhole(text);
  const count = (text: string) => encode(text).length;
  return {
    name,
    count,
    countAll: (texts) =>
      Uint32Array.from({ length: textCount(texts) }, (_, row) => count(textAt(texts, row))),
    spans: (text): TokenSpans =>
      spansFromByteLengths(
        text,
        encode(text).map((id) => byteLengths[id]!),
      ),
  };
}

function loadRanks(file: string): TiktokenBPE {
  const loadedFile = require(`js-tiktoken/ranks/${file}`) as TiktokenBPE | { default: TiktokenBPE };
  return 'default' in loadedFile ? loadedFile.default : loadedFile;
}

function encodeInPieces(text: string, encode: (piece: string) => number[]): number[] {
  const ids: number[] = [];
  for (const [run] of text.matchAll(RUNS)) {
    const step = run.length >= MAX_RUN_CHARS ? PIECE_CHARS : run.length;
    for (let at = 0; at < run.length; ) {
      let end = Math.min(run.length, at + step);
      const last = run.charCodeAt(end - 1);
      if (end < run.length && last >= 0xd800 && last <= 0xdbff) end++;
      for (const id of encode(run.slice(at, end))) ids.push(id);
      at = end;
    }
  }
  return ids;
}

/** Bytes of each token by its id. Ranks come as lines of `! <first id> <base64> <base64> …`. */
function tokenByteLengths(ranks: TiktokenBPE): Uint16Array {
  const lengths: number[] = [];
  for (const line of ranks.bpe_ranks.split('\n')) {
    const [, first, ...tokens] = line.split(' ');
    tokens.forEach((token, i) => {
      const padding = token.endsWith('==') ? 2 : token.endsWith('=') ? 1 : 0;
      lengths[Number(first) + i] = (token.length / 4) * 3 - padding;
    });
  }
  return Uint16Array.from(lengths);
}
