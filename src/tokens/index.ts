/**
 * tokens/: counting tokens, and cutting Chinese into words.
 *
 * Answers: how many tokens a text has for a given model or encoding and where they lie; which words a run of Han has.
 * Costs: WordPiece about 3 MB/s a thread, cl100k and o200k 16 to 19, js-tiktoken 1.6, jieba a million
 * characters a second (only for text with Han, after 200 ms to load its dictionary). Everything is synchronous: call
 * it in workers.
 * Not for: token ids as model input (inference/ asks the addon itself), other analysis of keywords (the addon).
 */
export { type BpeName, loadBpe } from './bpe.js';
export { dictionaryFingerprint } from './dictionary.js';
export { loadModelTokenizer, type ModelTokenizer } from './model-tokenizer.js';
export { holdsHan, segmentAll, segmentForKeywords } from './segment.js';
export { loadTiktokenReference, type TiktokenName } from './tiktoken-reference.js';
