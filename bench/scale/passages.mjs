/** Cuts texts into passages of the size of a chunk, and knows which it has seen before. */
import { createHash } from 'node:crypto';

const MIN_WORDS = 40;
const MAX_WORDS = 120;
/** Beyond this mean length words are encoded data or minified code. */
const MAX_WORD_CHARACTERS = 15;

/**
 * Neighbouring paragraphs are joined until a passage has MIN_WORDS; longer paragraphs are cut. What is left over is
 * dropped: it would be a passage too short to stand alone.
 * @returns {Generator<string>} each MIN_WORDS to MAX_WORDS long, an exact slice of the text
 */
export function* passagesOf(text) {
  let from = 0;
  let words = 0;
  let end = 0;
  for (const { index, 0: word } of text.matchAll(/\S+/g)) {
    const newParagraph = words >= MIN_WORDS && /\n\s*\n/.test(text.slice(end, index));
    if (newParagraph || words === MAX_WORDS) {
      yield* worthIt(text.slice(from, end), words);
      words = 0;
    }
    if (words === 0) from = index;
    words++;
    end = index + word.length;
  }
  if (words >= MIN_WORDS) yield* worthIt(text.slice(from, end), words);
}

function* worthIt(passage, words) {
  if (passage.replaceAll(/\s+/g, '').length <= words * MAX_WORD_CHARACTERS) yield passage;
}

/** Passages that were seen before, by 48 bits of a hash: memory grows by some 40 bytes a passage. */
export class SeenPassages {
  #hashes = new Set();

  /** @returns {boolean} true the first time */
  add(passage) {
    const hash = createHash('sha1').update(passage).digest().readUIntBE(0, 6);
    const before = this.#hashes.size;
    return this.#hashes.add(hash).size > before;
  }
}

/** A number in [0, range) that follows from a position alone. */
export function drawAt(position, salt, range) {
  return createHash('sha1').update(`${salt}:${position}`).digest().readUInt32BE(0) % range;
}
