import type { TextColumn } from './text-column.js';

/**
 * Counts and finds tokens. Text that spells a special token (`[CLS]`, `<|endoftext|>`) is plain text: content can
 * never inject one. All methods are synchronous: call them in worker threads, not on the main one.
 */
export interface Tokenizer {
  /** Stable name for the passport, such as 'cl100k' or 'wordpiece:<sha256 of tokenizer.json>'. */
  readonly name: string;
  /** Tokens of one text, special tokens excluded. */
  count(text: string): number;
  countAll(texts: TextColumn): Uint32Array;
  /**
   * Where each token of the text lies: UTF-16 positions, ascending. A byte-level token that holds part of a
   * character reports the whole character.
   */
  spans(text: string): TokenSpans;
  /** Where tokens and pieces begin: faster than `spans`, for tokenizers that know their pieces. */
  pieces?(text: string): TokenPieces;
}

export interface TokenSpans {
  readonly start: Uint32Array;
  readonly end: Uint32Array;
}

/**
 * The tokens of a text by pieces. A piece is what the tokenizer encodes by itself (a word, a number, a mark): from where
 * one begins, the tokens are the same whatever stands before. What follows may reach into the last two pieces of a text
 * at most.
 */
export interface TokenPieces {
  /** UTF-16 position at which each token begins, ascending. */
  readonly starts: Uint32Array;
  /** 1 where that token is the first of its piece. */
  readonly first: Uint8Array;
}
