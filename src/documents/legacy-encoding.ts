import chardet from 'chardet';
import { decodeStrictly } from './decode-strictly.js';
import type { DecodedText } from './decoded-text.js';
import { isPlausible } from './plausible-text.js';

const LF = 10;
/** Bytes that are judged: what a text says about its encoding, it says early. */
const SAMPLE_BYTES = 16 * 1024;
/** Double-byte encodings are told by which pairs occur; random bytes reach 71 of 100 at most. */
const MIN_DOUBLE_BYTE = 80;
/** Single-byte ones are told by frequent groups of letters, of which a short text has few; random bytes reach 18. */
const MIN_SINGLE_BYTE = 25;
const MIN_SINGLE_BYTE_SHORT = 40;
/** Characters beyond ASCII from which on a text is not short. */
const LONG_TEXT = 24;
const DOUBLE_BYTE = new Set(['GB18030', 'Big5', 'Shift_JIS', 'EUC-JP', 'EUC-KR']);
/** Told by escape sequences, by marks, or by NULs: not a question of letters. */
const NEVER_GUESSED = /^(?:UTF|ISO-2022|ASCII|IBM)/;

/**
 * A text in a code page that is likely by its letters and makes plausible text, for bytes that are no UTF-8; undefined
 * where none is likely enough. The confidence is what the detector says, 0.95 at most.
 */
export function decodeLegacy(bytes: Uint8Array): DecodedText | undefined {
  for (const { name, confidence } of chardet.analyse(sampleOf(bytes))) {
    if (NEVER_GUESSED.test(name)) continue;
    const isDouble = DOUBLE_BYTE.has(name);
    if (confidence < (isDouble ? MIN_DOUBLE_BYTE : MIN_SINGLE_BYTE)) continue;
    const text = decodeStrictly(bytes, name);
    if (text === undefined) continue;
    const beyond = countBeyondAscii(text);
    if (!isDouble && beyond < LONG_TEXT && confidence < MIN_SINGLE_BYTE_SHORT) continue;
    if (!isPlausible(text)) continue;
    return {
      text,
      encoding: new TextDecoder(name).encoding,
      confidence: Math.min(0.95, confidence / 100),
    };
  }
  return undefined;
}

/** Lines that hold more than ASCII: the others say nothing of the encoding, and English for its letters. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(SAMPLE_BYTES);
  let length = 0;
  let at = 0;
  while (length < SAMPLE_BYTES) {
    const high = bytes.subarray(at).findIndex((byte) => byte >= 0x80);
    if (high < 0) break;
    const line = bytes.subarray(at, at + high).lastIndexOf(LF) + 1;
    const from = Math.max(at + line, at + high - SAMPLE_BYTES / 4);
    const end = bytes.indexOf(LF, at + high);
    at = Math.min(end < 0 ? bytes.length : end + 1, from + SAMPLE_BYTES - length);
    sample.set(bytes.subarray(from, at), length);
    length += at - from;
  }
  return sample.subarray(0, length);
}

function countBeyondAscii(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length && count < LONG_TEXT; at++) if (text.charCodeAt(at) >= 0x80) count++;
  return count;
}
