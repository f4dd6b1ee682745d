/**
 * tokens/: counting tokens, and cutting Chinese into words.
 *
 * Answers: how many tokens a text has for a given model or encoding and where they lie; which words a run of Han has.
 * Costs: WordPiece, cl100k and o200k about 40 MB/s a thread for text that is mostly ASCII, 2 to 18 for other text;
 * js-tiktoken 1.6, jieba a million characters a second (only for text with Han, after 200 ms to load its dictionary).
 * Everything is synchronous: call it in workers.
 * Not for: token ids as model input (inference/ asks the addon itself), other analysis of keywords (the addon).
 */
export { type BpeName, loadBpe } from './bpe.js';
export { dictionaryFingerprint } from './dictionary.js';
export { loadModelTokenizer, type ModelTokenizer } from './model-tokenizer.js';
export { holdsHan, segmentAll, segmentForKeywords } from './segment.js';
export { loadTiktokenReference, type TiktokenName } from './tiktoken-reference.js';
