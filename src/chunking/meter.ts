/** Counts the tokens of a chunk as the embedder will read it: what stands before the slice, then the slice. */

import type { Tokenizer } from '../model/tokenizer.js';
import { type FreeBorders, isAsciiPunctuation } from './free-borders.js';
import { countBySeams } from './seams.js';
import { mapTokens, type TokenMap, tokenIndex } from './token-map.js';
import { isPlainWhite } from './white.js';

/** What the embedding text says before the slice: '' or lines that each end in LF. */
export interface Lead {
  readonly text: string;
  readonly tokens: number;
}

export const NO_LEAD: Lead = { text: '', tokens: 0 };

/**
 * No chunk is longer than this many UTF-16 units per token of its limit, whatever the tokenizer says: WordPiece makes
 * one unknown token of a word over 100 characters and none of white space, so a megabyte could pass as one token.
 */
const MAX_CHARS_PER_TOKEN = 32;

/** Room kept free in estimates where tokens can merge or split at a cut; the final count is always a real one. */
const SEAM_TOKENS = 2;

export class Meter {
  readonly text: string;
  readonly limitTokens: number;
  readonly maxChars: number;
  readonly #tokenizer: Tokenizer;
  readonly #map: TokenMap;
  readonly #borders: FreeBorders;
  readonly #slack: number;

  private constructor(
    text: string,
    map: TokenMap,
    tokenizer: Tokenizer,
    limitTokens: number,
    borders: FreeBorders,
  ) {
    this.text = text;
    this.limitTokens = limitTokens;
    this.maxChars = limitTokens * MAX_CHARS_PER_TOKEN;
    this.#tokenizer = tokenizer;
    this.#map = map;
    this.#borders = map.exact ? borders : 'none';
    this.#slack = this.#borders === 'none' ? SEAM_TOKENS : 0;
  }

  /** Tokenizes `[from, to)` of the text, once. `borders` as `findFreeBorders` found them. */
  static over(
    text: string,
    from: number,
    to: number,
    tokenizer: Tokenizer,
    limitTokens: number,
    borders: FreeBorders,
  ): Meter {
    return new Meter(text, mapTokens(text, from, to, tokenizer), tokenizer, limitTokens, borders);
  }

  /** The same text under another limit, without tokenizing it again. */
  withLimit(limitTokens: number): Meter {
    return new Meter(this.text, this.#map, this.#tokenizer, limitTokens, this.#borders);
  }

  /** Tokens that begin in `[start, end)`, as the encoding of the whole text has them. */
  estimate(start: number, end: number): number {
    return tokenIndex(this.#map, end) - tokenIndex(this.#map, start);
  }

  /** False means: don't try. True is an estimate that `measure` has the last word on. */
  fits(lead: Lead, start: number, end: number): boolean {
    if (end - start > this.maxChars) return false;
    return lead.tokens + this.estimate(start, end) + this.#slack <= this.limitTokens;
  }

  /** Tokens left for the slice. At least 1. */
  room(lead: Lead): number {
    return Math.max(1, this.limitTokens - lead.tokens - this.#slack);
  }

  /** Where the token `tokens` after the one at `start` begins; `end` if the text ends before. */
  advance(start: number, tokens: number, end: number): number {
    const { starts } = this.#map;
    const row = tokenIndex(this.#map, start) + tokens;
    return row < starts.length ? Math.min(starts[row]!, end) : end;
  }

  /** Where the token `tokens` before `end` begins; 0 if there is none. */
  retreat(end: number, tokens: number): number {
    const row = tokenIndex(this.#map, end) - tokens;
    return row >= 0 ? this.#map.starts[row]! : 0;
  }

  /** The exact count of `lead + text.slice(start, end)`, special tokens excluded. */
  measure(lead: Lead, start: number, end: number): number {
    if (this.#isFreeBorder(start) && this.#isFreeBorder(end)) {
      return lead.tokens + this.estimate(start, end);
    }
    const bySeams = countBySeams(this.text, this.#map, this.#tokenizer, lead.text, start, end);
    return bySeams ?? this.#tokenizer.count(lead.text + this.text.slice(start, end));
  }

  lead(text: string): Lead {
    return text === '' ? NO_LEAD : { text, tokens: this.#tokenizer.count(text) };
  }

  #isFreeBorder(at: number): boolean {
    if (this.#borders === 'none') return false;
    const { text } = this;
    if (at === 0 || at === text.length) return true;
    const [previous, next] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
    if (isPlainWhite(previous) || isPlainWhite(next)) return true;
    return this.#borders === 'punctuation' && (isAsciiPunctuation(previous) || isAsciiPunctuation(next));
  }
}
