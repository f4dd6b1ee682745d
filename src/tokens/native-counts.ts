/** The methods that every native tokenizer has in common, in the shape of the Tokenizer interface. */

import type { TextColumn } from '../model/text-column.js';
import type { Tokenizer, TokenSpans } from '../model/tokenizer.js';
import type { NativeBpe, NativeTokenizer } from '../native/contract.js';

export function countsAndSpans(
  native: Pick<NativeBpe | NativeTokenizer, 'count' | 'countRows' | 'spans' | 'pieces'>,
): Required<Omit<Tokenizer, 'name'>> {
  return {
    count: (text) => native.count(text),
    countAll: (texts: TextColumn) => native.countRows(texts.bytes, texts.offsets),
    spans: (text) => splitPairs(native.spans(text)),
    pieces: (text) => native.pieces(text),
  };
}

/** `[start0, end0, start1, end1, …]` → two columns. */
function splitPairs(pairs: Uint32Array): TokenSpans {
  const count = pairs.length / 2;
  const start = new Uint32Array(count);
  const end = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    start[i] = pairs[2 * i]!;
    end[i] = pairs[2 * i + 1]!;
  }
  return { start, end };
}
