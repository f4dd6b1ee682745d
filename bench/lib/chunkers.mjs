/** The product's chunkers, ready to be asked, counting in whatever a bench compares. */
import path from 'node:path';
import { createChunker, resolveChunkOptions } from '../../dist/chunking/index.js';
import { textCount } from '../../dist/model/text-column.js';
import { loadBpe, loadModelTokenizer } from '../../dist/tokens/index.js';

const MODEL = path.join(import.meta.dirname, '../../models/all-MiniLM-L6-v2/tokenizer.json');
/** No limit of a model's: sizes are those of the bench. */
const NO_WINDOW_TOKENS = 1 << 20;

/** Every UTF-16 unit is a token of its own: the measure of splitters that know no tokens. */
const CHARACTERS = {
  name: 'characters',
  count: (text) => text.length,
  countAll: (column) =>
    new Uint32Array(textCount(column)).map((_, row) => column.offsets[row + 1] - column.offsets[row]),
  spans(text) {
    const start = Uint32Array.from({ length: text.length }, (_, at) => at);
    return { start, end: start.map((at) => at + 1) };
  },
};

/** @param {'cl100k' | 'o200k' | 'model' | 'characters'} name 'model' is the WordPiece of all-MiniLM-L6-v2 */
export function tokenizerOf(name) {
  if (name === 'characters') return CHARACTERS;
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
