import { expect, it } from 'vitest';
import { findFreeBorders } from '../../src/chunking/free-borders.js';
import { loadBpe, loadModelTokenizer } from '../../src/tokens/index.js';
import { byteTokenizer, wordTokenizer } from './tokenizers.js';

it('knows where each tokenizer may be cut', () => {
  expect(findFreeBorders(wordTokenizer)).toBe('punctuation');
  expect(findFreeBorders(byteTokenizer)).toBe('none');
  expect(findFreeBorders(loadBpe('cl100k'))).toBe('none');
  expect(findFreeBorders(loadModelTokenizer('models/all-MiniLM-L6-v2/tokenizer.json'))).toBe('punctuation');
});
