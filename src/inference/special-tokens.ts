import { SluiceError } from '../errors.js';
import { packTexts } from '../model/text-column.js';
import type { NativeTokenizer } from '../native/contract.js';

/** Ids before and after one text. */
export interface SingleTemplate {
  before: Uint32Array;
  after: Uint32Array;
}

/** Ids around the texts of a pair; `types` has the token type of each part. */
export interface PairTemplate {
  before: Uint32Array;
  between: Uint32Array;
  after: Uint32Array;
  types: { before: number; first: number; between: Uint8Array; second: number; after: Uint8Array };
}

const PROBE = 'water';

/**
 * Finds the special tokens by encoding a word with and without them, so that windows of long texts can be put
 * together from ids, and each text is tokenized once.
 */
export function singleTemplate(tokenizer: NativeTokenizer): SingleTemplate {
  const { bytes, offsets } = packTexts([PROBE]);
  const bare = tokenizer.encodeRows(bytes, offsets, false).ids;
  const full = tokenizer.encodeRows(bytes, offsets, true).ids;
  const at = indexOfRun(full, bare, 0);
  if (at < 0) throw unreadable('one text');
  return { before: full.slice(0, at), after: full.slice(at + bare.length) };
}

/** The same for a pair of texts. */
export function pairTemplate(tokenizer: NativeTokenizer): PairTemplate {
  const { bytes, offsets } = packTexts([PROBE]);
  const bare = tokenizer.encodeRows(bytes, offsets, false).ids;
  const { ids, typeIds } = tokenizer.encodePairs(PROBE, bytes, offsets);
  const first = indexOfRun(ids, bare, 0);
  const second = first < 0 ? -1 : indexOfRun(ids, bare, first + bare.length);
  if (second < 0) throw unreadable('a pair of texts');
  const firstEnd = first + bare.length;
  const secondEnd = second + bare.length;
  return {
    before: ids.slice(0, first),
    between: ids.slice(firstEnd, second),
    after: ids.slice(secondEnd),
    types: {
      before: typeIds[0] ?? 0,
      first: typeIds[first]!,
      between: typeIds.slice(firstEnd, second),
      second: typeIds[second]!,
      after: typeIds.slice(secondEnd),
    },
  };
}

function indexOfRun(ids: Uint32Array, run: Uint32Array, from: number): number {
  for (let at = from; at + run.length <= ids.length; at++) {
    if (run.every((id, i) => ids[at + i] === id)) return at;
  }
  return -1;
}

function unreadable(what: string): SluiceError {
  return new SluiceError(
    'SLUICE_MODEL_INVALID',
    `the tokenizer changes ${what} in a way that cannot be windowed`,
  );
}
