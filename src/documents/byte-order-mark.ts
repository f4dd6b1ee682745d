import { SluiceError } from '../errors.js';
import type { DecodedText } from './decoded-text.js';

interface Mark {
  readonly bytes: readonly number[];
  readonly encoding: string;
  readonly decode: (body: Uint8Array) => string;
}

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

/**
 * Decodes a text that begins with a byte order mark; broken units become U+FFFD and NULs blanks. Undefined without one.
 * @throws SLUICE_FILE_BINARY if what follows the mark is no text
 */
export function decodeByMark(bytes: Uint8Array, source: string): DecodedText | undefined {
  const mark = MARKS.find((candidate) => candidate.bytes.every((byte, i) => bytes[i] === byte));
  if (!mark) return undefined;
  const text = mark.decode(bytes.subarray(mark.bytes.length));
  const broken = countOf(text, '\ufffd') + countOf(text, '\0');
  if (broken > text.length * MAX_BROKEN_SHARE) {
    throw new SluiceError(
      'SLUICE_FILE_BINARY',
      `${source} begins like ${mark.encoding} but holds binary data`,
      {
        hint: 'exclude it, or give it the extension of its format',
        details: { source, encoding: mark.encoding },
      },
    );
  }
  return { text: stripMarks(text.replaceAll('\0', ' ')), encoding: mark.encoding, confidence: 1 };
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
