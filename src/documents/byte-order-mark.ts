import { isAscii, isUtf8 } from 'node:buffer';
import { SluiceError } from '../errors.js';
import { BrokenUtf8 } from './broken-utf8.js';
import { looksBinary } from './byte-signs.js';
import type { DecodedText } from './decoded-text.js';

interface Mark {
  readonly bytes: readonly number[];
  readonly encoding: string;
  readonly decode: (body: Uint8Array) => string;
}

const BLANK = 32;
const LF = 10;

/** UTF-32LE comes before UTF-16LE, because its mark begins with the other's two bytes. */
const MARKS: readonly Mark[] = [
  { bytes: [0xff, 0xfe, 0, 0], encoding: 'utf-32le', decode: (body) => decodeUtf32(body, true) },
  { bytes: [0, 0, 0xfe, 0xff], encoding: 'utf-32be', decode: (body) => decodeUtf32(body, false) },
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8', decode: textDecoder('utf-8') },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le', decode: textDecoder('utf-16le') },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be', decode: textDecoder('utf-16be') },
];

/** Share of U+FFFD and NUL in a marked text from which on the mark is not believed. */
const MAX_BROKEN_SHARE = 0.02;
/** From so many bytes on valid UTF-8 is no chance: 12 Han of UTF-16 would be that in 1 of 10,000 texts. */
const MIN_UTF8_BYTES = 24;
/** Share that one value may have of every other byte of ASCII: in kana of UTF-16 it is the number of their block. */
const MAX_SAME_SHARE = 0.4;

/**
 * Decodes a text that begins with a byte order mark; broken units become U+FFFD and NULs blanks. Undefined without one,
 * and where UTF-8 stands behind a mark of wider units, or no UTF-8 behind that of UTF-8.
 * @throws SLUICE_FILE_BINARY if what follows the mark is no text
 */
export function decodeByMark(bytes: Uint8Array, source: string): DecodedText | undefined {
  const mark = markOf(bytes);
  if (!mark) return undefined;
  const body = bytes.subarray(mark.bytes.length);
  const { encoding } = mark;
  if (encoding === 'utf-8' ? !isUtf8(body) : isLikelyUtf8(body)) return undefined;
  const text = mark.decode(body);
  const broken = encoding === 'utf-8' ? 0 : countOf(text, '\ufffd');
  if (broken + countOf(text, '\0') > text.length * MAX_BROKEN_SHARE) {
    throw new SluiceError('SLUICE_FILE_BINARY', `${source} begins like ${encoding} but holds binary data`, {
      hint: 'exclude it, unpack it, or give it the extension of its format',
      details: { source, encoding },
    });
  }
  const decoded = { text: stripMarks(text.replaceAll('\0', ' ')), encoding, confidence: 1 };
  return broken === 0 ? decoded : { ...decoded, broken };
}

/** What stands behind the byte order marks, and the encoding of the first one. */
export function withoutMarks(bytes: Uint8Array): { body: Uint8Array; marked: string | undefined } {
  let body = bytes;
  for (let mark = markOf(body); mark; mark = markOf(body)) body = body.subarray(mark.bytes.length);
  return { body, marked: markOf(bytes)?.encoding };
}

function markOf(bytes: Uint8Array): Mark | undefined {
  return MARKS.find((candidate) => candidate.bytes.every((byte, i) => bytes[i] === byte));
}

/** Whether bytes behind a mark of wider units are UTF-8 all the same; an odd number of them is no such unit's. */
function isLikelyUtf8(body: Uint8Array): boolean {
  const hasWords = isAscii(body) && (body.includes(BLANK) || body.includes(LF));
  const canTell = body.length % 2 === 1 || body.length >= MIN_UTF8_BYTES || hasWords;
  if (!canTell || body.length < 2 || body.includes(0) || looksBinary(body, true)) return false;
  if (isAscii(body)) return sameShare(body, 0) <= MAX_SAME_SHARE && sameShare(body, 1) <= MAX_SAME_SHARE;
  return isUtf8(body) || new BrokenUtf8(body).isPlain;
}

/** Share of the most frequent value among every other byte. */
function sameShare(bytes: Uint8Array, from: 0 | 1): number {
  const counts = new Uint32Array(256);
  for (let at = from; at < bytes.length; at += 2) counts[bytes[at]!]!++;
  return Math.max(...counts) / (bytes.length / 2);
}

/** A file that was converted twice may carry two marks. */
function stripMarks(text: string): string {
  let from = 0;
  while (text.charCodeAt(from) === 0xfeff) from++;
  return text.slice(from);
}

function textDecoder(label: string): (body: Uint8Array) => string {
  return (body) => new TextDecoder(label, { ignoreBOM: true }).decode(body);
}

/** TextDecoder has no UTF-32. What is no scalar value, and a cut unit at the end, becomes U+FFFD. */
export function decodeUtf32(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  const points: number[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const point = at + 4 <= bytes.length ? view.getUint32(at, littleEndian) : 0xfffd;
    points.push(point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? 0xfffd : point);
    // Arguments go on the stack: convert them by the thousand.
    if (points.length === 4096) parts.push(String.fromCodePoint(...points.splice(0)));
  }
  parts.push(String.fromCodePoint(...points));
  return parts.join('');
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count++;
  return count;
}
