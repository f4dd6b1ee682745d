import { isAscii, isUtf8 } from 'node:buffer';
import { SluiceError } from '../errors.js';
import { BrokenUtf8 } from './broken-utf8.js';
import { decodeByMark, withoutMarks } from './byte-order-mark.js';
import { beginsBinary, isImplausible, looksBinary, markupCharset } from './byte-signs.js';
import { decodeStrictly } from './decode-strictly.js';
import type { DecodedText } from './decoded-text.js';
import { decodeLegacy } from './legacy-encoding.js';
import { decodeUnmarkedUtf16, decodeUnmarkedUtf32 } from './unmarked-wide.js';

export interface DecodeOptions {
  /** Named in errors. */
  source: string;
  /** A label of the Encoding Standard ('gbk', 'shift_jis'); asked only where the bytes don't tell themselves. */
  encoding?: string;
  /** Read `<meta charset>` and the XML declaration; default false. */
  markup?: boolean;
}

/**
 * Bytes to text. Asked in this order: byte order mark, unless what follows is plainly something else, UTF-8, UTF-32 and
 * UTF-16 without a mark, the declared encoding, UTF-8 with some broken bytes (counted in `broken`), the code page that is
 * likely by its letters. A file that is one part UTF-8 and a good part something else is refused. Costs a few passes of native code for
 * UTF-8, and for a guess some milliseconds more.
 * @throws SLUICE_FILE_BINARY, SLUICE_FILE_ENCODING, or SLUICE_USAGE for an encoding that nobody knows
 */
export function decode(bytes: Uint8Array, options: DecodeOptions): DecodedText {
  const byMark = decodeByMark(bytes, options.source);
  if (byMark) return byMark;
  const { body, marked } = withoutMarks(bytes);
  return decodeUnmarked(body, options, marked === 'utf-8' ? marked : declaredEncoding(body, options));
}

function decodeUnmarked(
  bytes: Uint8Array,
  options: DecodeOptions,
  declared: string | undefined,
): DecodedText {
  const clean = !bytes.includes(0);
  // ISO-2022-JP is made of ASCII bytes: only its declaration tells it apart.
  if (clean && isUtf8(bytes) && declared !== 'iso-2022-jp' && !looksBinary(bytes, true))
    return decodeUtf8(bytes);
  const wide = clean ? undefined : (decodeUnmarkedUtf32(bytes) ?? decodeUnmarkedUtf16(bytes));
  if (wide) return wide;
  if (!clean && isUtf8(bytes) && strayNulsOnly(bytes) && !looksBinary(bytes, true)) {
    const { text, encoding } = decodeUtf8(bytes);
    return { text: text.replaceAll('\0', ' '), encoding, confidence: 0.9 };
  }
  if (declared !== undefined && !beginsBinary(bytes)) {
    const text = decodeStrictly(bytes, declared);
    if (text !== undefined && !isImplausible(text)) return { text, encoding: declared, confidence: 1 };
  }
  if (!clean || looksBinary(bytes, false)) throw binary(options.source);
  const utf8 = new BrokenUtf8(bytes);
  if (utf8.isPlain) return utf8.decoded();
  const guess = utf8.isMixed ? undefined : decodeLegacy(bytes);
  if (guess) return guess;
  if (utf8.isTrifle || (declared === 'utf-8' && utf8.isLittle)) return utf8.decoded();
  throw new SluiceError('SLUICE_FILE_ENCODING', `the encoding of ${options.source} was not recognised`, {
    hint: "save it as UTF-8, or name its encoding, such as encoding: 'shift_jis' (the command: --encoding shift_jis)",
    details: { source: options.source, ...(declared === undefined ? {} : { declared }) },
  });
}

function decodeUtf8(bytes: Uint8Array): DecodedText {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { text: buffer.toString(isAscii(bytes) ? 'latin1' : 'utf8'), encoding: 'utf-8', confidence: 1 };
}

/** A NUL or two in a long text (a program wrote them, a terminal showed none) don't make the file binary. */
function strayNulsOnly(bytes: Uint8Array): boolean {
  let allowed = bytes.length / 1000;
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) {
    if (--allowed < 0) return false;
  }
  return true;
}

/** Canonical label of what the caller or the page declares; a page's unknown label counts as none. */
function declaredEncoding(bytes: Uint8Array, options: DecodeOptions): string | undefined {
  const label = options.encoding ?? (options.markup === true ? markupCharset(bytes) : undefined);
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch (cause) {
    if (options.encoding === undefined) return undefined;
    throw new SluiceError('SLUICE_USAGE', `unknown encoding "${label}"`, {
      hint: 'use a label of the Encoding Standard such as "gbk" or "windows-1252"',
      cause,
    });
  }
}

function binary(source: string): SluiceError {
  return new SluiceError('SLUICE_FILE_BINARY', `${source} holds binary data`, {
    hint: 'exclude it, unpack it, or give it the extension of its format',
    details: { source },
  });
}
