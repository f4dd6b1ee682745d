import { requirePeer } from '../peer-modules.mjs';
import { splitterAdapter } from './chunk-splitter.mjs';

/** Counts words, its documented way without a tokenizer: a splitter by tokens must give strings, which tokens are not. */
const TOKENS_A_WORD = 1.33;

export async function open(corpus, { options }) {
  const { split } = requirePeer('llm-splitter');
  const settings = {
    chunkSize: Math.floor(options.limitTokens / TOKENS_A_WORD),
    chunkOverlap: 0,
    chunkStrategy: 'paragraph',
    splitter: (text) => text.split(/\s+/),
  };
  return splitterAdapter(corpus, (text) => split(text, settings));
}
