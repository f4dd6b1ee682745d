import type { DecodedText } from './decoded-text.js';

const REPLACEMENT = 0xfffd;
/** Characters of several bytes for each broken place, from which on a text is UTF-8; in code pages a third by chance. */
const MIN_PLAIN = 3;
/** As many of them where little of the text is broken. */
const MIN_PLAIN_IF_FEW = 1;
/** As many of them from which on a text is no code page, but UTF-8 with a part of something else. */
const MIN_MIXED = 0.75;
/** Fewer characters of several bytes prove nothing, or too little against a code page. */
const MIN_CHARACTERS = 3;
const MIN_CHARACTERS_IF_FEW = 8;
const MIN_CHARACTERS_MIXED = 12;
/** Share of the text that may be broken there, and where UTF-8 is declared and nothing else is likely. */
const MAX_FEW = 0.05;
/** Share that may be broken of a text whose encoding nothing tells: the rest of it, nearly all, is ASCII. */
const MAX_TRIFLE = 0.001;

/** Bytes that are UTF-8 with broken places, or no UTF-8 at all: told by how many characters of several bytes are whole. */
export class BrokenUtf8 {
  readonly #text: string;
  /** Broken places; each is one U+FFFD. */
  readonly #broken: number;
  readonly #characters: number;

  constructor(bytes: Uint8Array) {
    this.#text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    let [replaced, characters] = [0, 0];
    for (let at = 0; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === REPLACEMENT) replaced++;
      // Of a pair one half.
      else if (code >= 0x80 && (code < 0xdc00 || code > 0xdfff)) characters++;
    }
    this.#broken = replaced - writtenOut(bytes);
    this.#characters = characters;
  }

  /** Plainly UTF-8: a file that was cut, glued together, or damaged here and there. */
  get isPlain(): boolean {
    // A cut at the end breaks one character, however short the file is.
    const cutAtEnd = this.#broken === 1 && this.#text.endsWith('\ufffd') && this.#characters >= 2;
    const isMostlyWhole = this.isLittle && this.#isMostly(MIN_PLAIN_IF_FEW, MIN_CHARACTERS_IF_FEW);
    return cutAtEnd || isMostlyWhole || this.#isMostly(MIN_PLAIN, MIN_CHARACTERS);
  }

  /** UTF-8 to a good part: any code page would make noise of that part. */
  get isMixed(): boolean {
    return this.#isMostly(MIN_MIXED, MIN_CHARACTERS_MIXED);
  }

  /** Hardly broken, measured by all of the text. */
  get isLittle(): boolean {
    return this.#broken <= this.#text.length * MAX_FEW;
  }

  /** So little broken that a guess too few bytes support must not cost the whole text. */
  get isTrifle(): boolean {
    return this.#broken <= this.#text.length * MAX_TRIFLE;
  }

  decoded(): DecodedText {
    return { text: this.#text, encoding: 'utf-8', confidence: 0.8, broken: this.#broken };
  }

  #isMostly(times: number, least: number): boolean {
    return this.#characters >= least && this.#characters >= this.#broken * times;
  }
}

/** U+FFFD that the bytes themselves spell: whoever wrote them had lost something before. */
function writtenOut(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (let at = buffer.indexOf(SPELLED); at >= 0; at = buffer.indexOf(SPELLED, at + 3)) count++;
  return count;
}

const SPELLED = Buffer.from('\ufffd');
