import { decodeUtf32 } from './byte-order-mark.js';
import { decodeStrictly } from './decode-strictly.js';
import type { DecodedText } from './decoded-text.js';

/** Bytes whose NULs are counted. */
const SAMPLE_BYTES = 64 * 1024;
/** NULs a text has on the side of the high bytes: blanks and line ends are enough, even in Chinese. */
const MIN_NUL_SHARE = 0.01;
/** Share of the NULs that must lie on one side. */
const MIN_ONE_SIDED = 0.97;
/** Share of the units that must be letters, digits, marks, punctuation, symbols or white space. */
const MIN_PLAUSIBLE = 0.97;

/**
 * UTF-16 without a byte order mark, told by NULs at odd (little endian) or even positions only, and by what comes out
 * being text. Undefined otherwise: such bytes are never to be read as UTF-8, though ASCII in UTF-16 would pass as it.
 */
export function decodeUnmarkedUtf16(bytes: Uint8Array): DecodedText | undefined {
  if (bytes.length < 2 || bytes.length % 2 !== 0) return undefined;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const nuls = [0, 0];
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) nuls[i & 1]!++;
  const total = nuls[0]! + nuls[1]!;
  const little = nuls[1]! > nuls[0]!;
  if (total < (sample.length / 2) * MIN_NUL_SHARE) return undefined;
  if (Math.max(nuls[0]!, nuls[1]!) < total * MIN_ONE_SIDED) return undefined;
  const encoding = little ? 'utf-16le' : 'utf-16be';
  const text = decodeStrictly(bytes, encoding);
  if (text === undefined || text.includes('\0')) return undefined;
  const plausible = plausibleShare(text.slice(0, SAMPLE_BYTES / 2));
  return plausible < MIN_PLAUSIBLE ? undefined : { text, encoding, confidence: plausible * 0.95 };
}

/**
 * UTF-32 without a byte order mark: every fourth byte is NUL, the one beside it is 16 at most, and what comes out is
 * text. Undefined otherwise.
 */
export function decodeUnmarkedUtf32(bytes: Uint8Array): DecodedText | undefined {
  if (bytes.length < 8 || bytes.length % 4 !== 0) return undefined;
  const little = bytes[3] === 0;
  const [nul, plane] = little ? [3, 2] : [0, 1];
  for (let at = 0; at < bytes.length; at += 4) {
    if (bytes[at + nul] !== 0 || bytes[at + plane]! > 16) return undefined;
  }
  const text = decodeUtf32(bytes, little);
  if (text.includes('\0') || text.includes('\ufffd')) return undefined;
  const plausible = plausibleShare(text.slice(0, SAMPLE_BYTES / 4));
  if (plausible < MIN_PLAUSIBLE) return undefined;
  return { text, encoding: little ? 'utf-32le' : 'utf-32be', confidence: plausible * 0.95 };
}

function plausibleShare(text: string): number {
  const rest = text.replace(/[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\s\u200b-\u200f]/gu, '');
  return 1 - rest.length / Math.max(1, text.length);
}
