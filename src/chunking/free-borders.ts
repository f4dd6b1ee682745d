/**
 * Where a text may be cut without changing its tokens. A tokenizer of BERT's kind splits at white space, spends no
 * token on it and takes every punctuation mark for itself: the count of a span between two such borders is the sum of
 * its tokens in the whole text, and needs no second tokenization, which halves the cost of chunking. Asked of the
 * tokenizer itself, because its name does not say it.
 */

import type { Tokenizer } from '../model/tokenizer.js';

/** 'white': at white space. 'punctuation': also before and after each ASCII punctuation mark. 'none': nowhere. */
export type FreeBorders = 'none' | 'white' | 'punctuation';

const PROBES = [
  'The quick brown fox',
  'don’t "quote" (this), v2.0-rc.1!',
  'ünïcödé naïve ﬁne',
  '仓库钥匙在抽屉 カレンダー',
  '<|endoftext|> [CLS] </s>',
  '#include <stdio.h> x+=1; // ok',
  '- item',
  '🙂👨‍👩‍👧 é',
  '12,345.67',
];
const GAPS = [' ', '\n', '\n\n', '\r\n', ' \t ', '\n    '];
const PUNCTUATION = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'];

export function isAsciiPunctuation(code: number): boolean {
  return (
    (code >= 0x21 && code <= 0x2f) ||
    (code >= 0x3a && code <= 0x40) ||
    (code >= 0x5b && code <= 0x60) ||
    (code >= 0x7b && code <= 0x7e)
  );
}

/** Some 500 short counts: a few milliseconds, once a chunker. */
export function findFreeBorders(tokenizer: Tokenizer): FreeBorders {
  if (!isFreeAtWhite(tokenizer)) return 'none';
  return PUNCTUATION.every((mark) => isFreeAt(tokenizer, mark)) ? 'punctuation' : 'white';
}

function isFreeAtWhite(tokenizer: Tokenizer): boolean {
  return PROBES.every((left, i) => {
    const right = PROBES[(i + 1) % PROBES.length]!;
    const sum = tokenizer.count(left) + tokenizer.count(right);
    return GAPS.every((gap) => {
      const joined = `${gap}${left}${gap}${right}${gap}`;
      return tokenizer.count(joined) === sum && tokenizer.spans(joined).start.length === sum;
    });
  });
}

function isFreeAt(tokenizer: Tokenizer, mark: string): boolean {
  return ['word', '12', 'é', '漢', mark].every((left, i, all) => {
    const right = all[(i + 2) % all.length]!;
    const whole = tokenizer.count(left + mark + right);
    const cutAfter = tokenizer.count(left + mark) + tokenizer.count(right);
    return whole === cutAfter && whole === tokenizer.count(left) + tokenizer.count(mark + right);
  });
}
