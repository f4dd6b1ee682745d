/**
 * A context line without a model: the sentence of the document's beginning, or of the beginning of the chunk's section,
 * that shares most of its rare words with the chunk.
 *
 * Deterministic, and linear in the document: only a few sentences are looked at for each chunk.
 */

import type { ChunkColumns } from '../model/chunk.js';
import { BlockKind, type Document } from '../model/document.js';
import { countUpTo } from '../model/sorted.js';
import { oneLine } from './lines.js';

/** Sentences of the document's beginning, and of each section's, that may become a line. */
const FROM_DOCUMENT = 12;
const FROM_SECTION = 3;
const SEARCHED_CHARS = 4_000;
const SHORTEST_CHARS = 25;
const LONGEST_CHARS = 400;
/** The first sentence mostly says what a text is about: it wins unless another one shares much more. */
const FIRST_SENTENCE_BONUS = 0.5;

interface Sentence {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

const WORD = /[\p{L}\p{N}]{3,}|\p{Script=Han}{2}/gu;
const SENTENCE_END = /[.!?]+(?=\s|$)|[。！？]+|\n{2,}|$/gu;

/** A line for each chunk; null where nothing of the document says more than the chunk itself. */
export function extractLines(document: Document, chunks: ChunkColumns): (string | null)[] {
  const rows = Array.from(chunks.start.keys());
  if (rows.length < 2) return rows.map(() => null);
  const wordsOf = rows.map((row) => wordSet(document.text.slice(chunks.start[row], chunks.end[row])));
  const weight = rareness(wordsOf);
  const opening = sentencesFrom(document, 0, FROM_DOCUMENT);
  const bySection = new Map<number, Sentence[]>();
  return rows.map((row) => {
    const start = chunks.start[row]!;
    const sectionStart = chunks.parentStart[row]!;
    let section = bySection.get(sectionStart);
    if (section === undefined) {
      section = sectionStart === start ? [] : sentencesFrom(document, sectionStart, FROM_SECTION);
      if (sectionStart !== start) bySection.set(sectionStart, section);
    }
    // What lies in the chunk says nothing more, and what comes after it no reader would miss.
    const before = [...opening, ...section].filter(({ end }) => end <= start);
    return best(before, opening[0], wordsOf[row]!, weight);
  });
}

function best(
  candidates: readonly Sentence[],
  first: Sentence | undefined,
  words: ReadonlySet<string>,
  weight: (word: string) => number,
): string | null {
  let found: Sentence | undefined;
  let most = 0;
  for (const sentence of candidates) {
    let shared = 0;
    for (const word of sentence.words) if (words.has(word)) shared += weight(word);
    const score =
      shared / Math.sqrt(sentence.words.size + 1) + (sentence === first ? FIRST_SENTENCE_BONUS : 0);
    if (score > most) [found, most] = [sentence, score];
  }
  return found === undefined ? null : found.text;
}

/** Words that are in few chunks say more: BM25's weight of a word over the chunks of the document. */
function rareness(wordsOf: readonly ReadonlySet<string>[]): (word: string) => number {
  const chunksWith = new Map<string, number>();
  for (const words of wordsOf) {
    for (const word of words) chunksWith.set(word, (chunksWith.get(word) ?? 0) + 1);
  }
  return (word) => {
    const count = chunksWith.get(word) ?? 0;
    return Math.log(1 + (wordsOf.length - count + 0.5) / (count + 0.5));
  };
}

/** The first sentences of prose from a position on. */
function sentencesFrom({ text, blocks }: Document, from: number, most: number): Sentence[] {
  const sentences: Sentence[] = [];
  const to = Math.min(text.length, from + SEARCHED_CHARS);
  for (let row = countUpTo(blocks.end, from); row < blocks.start.length && sentences.length < most; row++) {
    if (blocks.start[row]! >= to) break;
    if (blocks.kind[row] !== BlockKind.prose && blocks.kind[row] !== BlockKind.list) continue;
    const begin = Math.max(from, blocks.start[row]!);
    const block = text.slice(begin, Math.min(to, blocks.end[row]!));
    let at = 0;
    for (const { 0: mark, index } of block.matchAll(SENTENCE_END)) {
      const [start, end] = [at, index + mark.length];
      at = end;
      const line = oneLine(block.slice(start, end));
      if (line.length < SHORTEST_CHARS || line.length > LONGEST_CHARS) continue;
      sentences.push({ start: begin + start, end: begin + end, text: line, words: wordSet(line) });
      if (sentences.length === most) break;
    }
  }
  return sentences;
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(WORD) ?? []);
}
