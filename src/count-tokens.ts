import { loadBpe } from './tokens/index.js';

/**
 * Tokens of a text in an OpenAI encoding (default cl100k), for `packContext`. Takes about a millisecond for 16 KB, so
 * it may run on the main thread.
 */
export function countTokens(text: string, encoding: 'cl100k' | 'o200k' = 'cl100k'): number {
  return loadBpe(encoding).count(text);
}
