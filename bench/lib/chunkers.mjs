/** The product's chunkers, ready to be asked, counting in whatever a bench compares. */
import path from 'node:path';
import { createChunker, resolveChunkOptions } from '../../dist/chunking/index.js';
import { textCount } from '../../dist/model/text-column.js';
import { loadBpe, loadModelTokenizer } from '../../dist/tokens/index.js';

const MODEL = path.join(import.meta.dirname, '../../models/all-MiniLM-L6-v2/tokenizer.json');
/** No limit of a model's: sizes are those of the bench. */
const NO_WINDOW_TOKENS = 1 << 20;

/** Four characters are a token: the measure of splitters that know no tokens, at no cost. */
const FOURS = {
  name: 'characters/4',
  count: (text) => Math.ceil(text.length / 4),
  countAll({ offsets, ...column }) {
    const counts = new Uint32Array(textCount({ offsets, ...column }));
    for (let row = 0; row < counts.length; row++)
      counts[row] = Math.ceil((offsets[row + 1] - offsets[row]) / 4);
    return counts;
  },
  spans(text) {
    const start = new Uint32Array(Math.ceil(text.length / 4));
    const end = new Uint32Array(start.length);
    for (let token = 0; token < start.length; token++) {
      start[token] = token * 4;
      end[token] = Math.min(text.length, token * 4 + 4);
    }
    return { start, end };
  },
};

/**
 * @param {'cl100k' | 'o200k' | 'model' | 'fours'} name 'model' is the WordPiece of all-MiniLM-L6-v2, 'fours' counts four
 *   characters as a token
 */
export function tokenizerOf(name) {
  if (name === 'fours') return FOURS;
  return name === 'model' ? loadModelTokenizer(MODEL) : loadBpe(name);
}

/** @param options as in ChunkOptions; sizes in tokens of `tokens` */
export function chunkerOf(tokens, options) {
  const tokenizer = tokenizerOf(tokens);
  return createChunker(
    resolveChunkOptions(options, {
      tokenizer,
      bpe: loadBpe('cl100k'),
      loadEncoding: loadBpe,
      windowTokens: NO_WINDOW_TOKENS,
      specialTokens: 0,
      prefixTokens: 0,
    }),
  );
}
