/** Token lengths in UTF-8 bytes → UTF-16 positions. */

import type { TokenSpans } from '../model/tokenizer.js';

/** UTF-8 bytes of the code point that begins at `at`; a lone surrogate counts as the U+FFFD that replaces it. */
function byteLength(text: string, at: number): number {
  const code = text.codePointAt(at)!;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

/**
 * Tokens follow each other without gaps. One that holds only part of a character gets the whole character, so
 * neighbours may overlap by one character.
 */
export function spansFromByteLengths(text: string, byteLengths: readonly number[]): TokenSpans {
  const start = new Uint32Array(byteLengths.length);
  const end = new Uint32Array(byteLengths.length);
  let at = 0;
  // Bytes of the character at `at` that earlier tokens took.
  let taken = 0;
  for (let i = 0; i < byteLengths.length; i++) {
    start[i] = at;
    taken += byteLengths[i]!;
    while (at < text.length && taken >= byteLength(text, at)) {
      const bytes = byteLength(text, at);
      taken -= bytes;
      at += bytes === 4 ? 2 : 1;
    }
    end[i] = taken > 0 ? at + (byteLength(text, at) === 4 ? 2 : 1) : at;
  }
  return { start, end };
}
