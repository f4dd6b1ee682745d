/** Two small tokenizers with the two natures that matter: one splits at white space, the other spends tokens on it. */

import { textAt, textCount } from '../../src/model/text-column.js';
import type { Tokenizer } from '../../src/model/tokenizer.js';
import { spansFromByteLengths } from '../../src/tokens/byte-spans.js';

function tokenizer(name: string, spans: Tokenizer['spans']): Tokenizer {
  const count = (text: string) => spans(text).start.length;
  return {
    name,
    count,
    countAll: (texts) =>
      Uint32Array.from({ length: textCount(texts) }, (_, row) => count(textAt(texts, row))),
    spans,
  };
}

/** Like BERT's: words of letters in pieces of 4, every other character alone, words over 100 characters one token. */
export const wordTokenizer = tokenizer('words', (text) => {
  const start: number[] = [];
  const end: number[] = [];
  for (const match of text.matchAll(/[\p{Script=Latin}\p{N}\p{M}]+|\S/gu)) {
    const word = match[0];
    const size = word.length > 100 ? word.length : 4;
    for (let at = 0; at < word.length; at += size) {
      start.push(match.index + at);
      end.push(match.index + Math.min(word.length, at + size));
    }
  }
  return { start: Uint32Array.from(start), end: Uint32Array.from(end) };
});

/** Like a byte-level BPE: a word takes the space before it along, and pieces of 3 bytes may cut a character. */
export const byteTokenizer = tokenizer('bytes', (text) => {
  const lengths: number[] = [];
  for (const [piece] of text.matchAll(/ ?[^\s]+|\s+(?!\S)|\s/gu)) {
    const bytes = new TextEncoder().encode(piece).length;
    for (let at = 0; at < bytes; at += 3) lengths.push(Math.min(3, bytes - at));
  }
  return spansFromByteLengths(text, lengths);
});
