/** OpenAI's encodings, natively. */

import { SluiceError } from '../errors.js';
import type { Tokenizer } from '../model/tokenizer.js';
import { addon } from '../native/addon.js';
import { countsAndSpans } from './native-counts.js';

/** Encodings that the native crate holds; for others see `loadTiktokenReference`. */
export type BpeName = 'cl100k' | 'o200k';

const NAMES: readonly string[] = ['cl100k', 'o200k'] satisfies BpeName[];
const loaded = new Map<BpeName, Tokenizer>();

/**
 * Loads an encoding, once a thread. Linear in the length of the text, whatever the text: about 40 MB/s of ASCII, 16 of
 * anything else. Special tokens such as `<|endoftext|>` are plain text.
 * @throws SLUICE_USAGE for an unknown name
 */
export function loadBpe(name: BpeName): Tokenizer {
  const known = loaded.get(name);
  if (known) return known;
  if (!NAMES.includes(name)) {
    throw new SluiceError('SLUICE_USAGE', `encoding ${String(name)} is not built in`, {
      hint: `use ${NAMES.join(' or ')}, or loadTiktokenReference for older encodings`,
      details: { name, allowed: [...NAMES] },
    });
  }
  const tokenizer: Tokenizer = { name, ...countsAndSpans(addon().BpeEncoding.load(name)) };
  loaded.set(name, tokenizer);
  return tokenizer;
}
