import { createHash } from 'node:crypto';
import { HEADING_SEPARATOR } from '../model/chunk.js';
import { EMBEDDING_HASH_BYTES } from '../model/document-record.js';

/**
 * What the embedder read for a chunk, put together again from what is stored. The row of the keyword index is that
 * text, except that runs of Han were cut into words; the hash that was kept with the chunk says which guess is right.
 */
export interface StoredChunkText {
  title: string;
  headingPath: string;
  /** The chunk's own text. */
  slice: string;
  keywordText: string;
  /** Of the embedding text; null where it is not known. */
  hash: Uint8Array | null;
}

export interface EmbeddingText {
  text: string;
  /** False where nothing proves that this is what the embedder read. */
  certain: boolean;
}

const MAX_LEAD_LINES = 20;
const HAN = /\p{Script=Han}/u;
const HAN_WORDS = /\p{Script=Han}+(?: \p{Script=Han}+)*/gu;

export function embeddingText(chunk: StoredChunkText): EmbeddingText {
  const { keywordText, hash, slice } = chunk;
  if (!HAN.test(keywordText)) {
    return { text: keywordText, certain: hash === null || hasHash(keywordText, hash) };
  }
  const joined = joinHan(keywordText);
  if (hash !== null) {
    for (const text of guesses(chunk, joined)) if (hasHash(text, hash)) return { text, certain: true };
  }
  const likely = joined.endsWith(slice) ? joined : leads(chunk).next().value! + slice;
  return { text: likely, certain: false };
}

function* guesses(chunk: StoredChunkText, joined: string): Generator<string> {
  const { keywordText, slice } = chunk;
  yield joined;
  yield keywordText;
  for (const lead of firstLines(joined)) yield lead + slice;
  for (const lead of leads(chunk)) yield lead + slice;
}

/** A context prefix is a line, and a repeated head of a table a few more. */
function* firstLines(text: string): Generator<string> {
  let end = text.indexOf('\n') + 1;
  for (let lines = 0; end > 0 && lines < MAX_LEAD_LINES; lines++) {
    yield text.slice(0, end);
    end = text.indexOf('\n', end) + 1;
  }
}

/** Context prefixes as chunking makes them: title and headings, of which outer and inner ones may be left out. */
function* leads({ title, headingPath }: StoredChunkText): Generator<string, string> {
  const headings = headingPath === '' ? [] : headingPath.split(HEADING_SEPARATOR);
  const parts = [title, ...headings].map(oneLine).filter((part) => part !== '');
  for (let from = 0; from < parts.length; from++) {
    for (let to = parts.length; to > from; to--) {
      yield `${parts.slice(from, to).join(HEADING_SEPARATOR)}\n`;
    }
  }
  yield '';
  return '';
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * Undoes the cutting of Han runs: of each run the words stand first, then all of its characters, one by one. A word
 * behind a character begins another run. Runs without any word melt together: the hash tells.
 */
function joinHan(text: string): string {
  return text.replace(HAN_WORDS, (words) => {
    let joined = '';
    let inCharacters = false;
    for (const word of words.split(' ')) {
      const isCharacter = [...word].length === 1;
      if (isCharacter) joined += word;
      else if (inCharacters) joined += ' ';
      inCharacters = isCharacter;
    }
    return joined;
  });
}

function hasHash(text: string, hash: Uint8Array): boolean {
  const digest = createHash('sha256').update(text, 'utf8').digest();
  return digest.subarray(0, EMBEDDING_HASH_BYTES).equals(hash);
}
