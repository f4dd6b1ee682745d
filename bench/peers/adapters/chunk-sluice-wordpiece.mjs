import { open as openWith } from './chunk-sluice.mjs';

/** The same case with the embedder's own tokenizer and its window. */
export const open = (corpus, settings) =>
  openWith(corpus, {
    ...settings,
    tokens: 'model',
    options: { ...settings.options, limitTokens: 254, overlapTokens: 38 },
  });
