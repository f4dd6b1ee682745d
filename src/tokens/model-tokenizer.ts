/** A model's own tokenizer: the one to count with when chunks must fit that model's window. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SluiceError } from '../errors.js';
import type { Tokenizer } from '../model/tokenizer.js';
import { addon } from '../native/addon.js';
import { countsAndSpans } from './native-counts.js';

export interface ModelTokenizer extends Tokenizer {
  /** Special tokens that the model adds to one text ([CLS] and [SEP] make 2). */
  readonly specialTokens: number;
  /** Special tokens that it adds to a pair of texts. */
  readonly specialTokensPair: number;
}

const HASH_CHARS = 16;

/**
 * Loads a `tokenizer.json`. Truncation and padding that the file asks for are ignored: a count says how long the text
 * is, not how much of it some earlier user kept. About 20 ms for a vocabulary of 30,000; load once a thread.
 * @throws SLUICE_MODEL_INVALID if the file can't be read or isn't a tokenizer
 */
export function loadModelTokenizer(path: string): ModelTokenizer {
  const bytes = readTokenizerFile(path);
  const native = addon().ModelTokenizer.fromFile(path);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_CHARS);
  return {
    name: `wordpiece:${hash}`,
    specialTokens: native.specialTokens,
    specialTokensPair: native.specialTokensPair,
    ...countsAndSpans(native),
  };
}

function readTokenizerFile(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new SluiceError('SLUICE_MODEL_INVALID', `tokenizer ${path}: ${(cause as Error).message}`, {
      hint: 'a model folder needs the tokenizer.json that the model was trained with',
      details: { path },
      cause,
    });
  }
}
