import { requirePeer } from '../peer-modules.mjs';

export async function open(corpus) {
  const encoding = requirePeer('js-tiktoken').getEncoding('cl100k_base');
  let tokens = 0;
  // No special token is allowed and none is refused: `<|endoftext|>` in a document is text.
  const count = (texts) => texts.reduce((sum, text) => sum + encoding.encode(text, [], []).length, 0);
  return {
    warmUp() {
      count(corpus.texts.slice(0, 5));
    },
    run() {
      tokens = count(corpus.texts);
      return { units: corpus.kib };
    },
    quality() {
      return { tokens };
    },
  };
}
