import { requirePeer } from '../peer-modules.mjs';
import { splitterAdapter } from './chunk-splitter.mjs';

/** js-tiktoken in the shape of its tokenizers. */
function tiktoken() {
  const encoding = requirePeer('js-tiktoken').getEncoding('cl100k_base');
  const decode = (tokens) => encoding.decode(tokens);
  return {
    countTokens: (text) => encoding.encode(text, [], []).length,
    encode: (text) => encoding.encode(text, [], []),
    decode,
    decodeBatch: (batch) => batch.map(decode),
  };
}

export async function open(corpus, { options, tokens }) {
  const { RecursiveChunker } = requirePeer('@chonkiejs/core');
  const chunker = await RecursiveChunker.create({
    chunkSize: tokens === 'fours' ? options.limitTokens * 4 : options.limitTokens,
    tokenizer: tokens === 'fours' ? 'character' : tiktoken(),
  });
  return splitterAdapter(corpus, async (text) =>
    (await chunker.chunk(text)).map(({ text: slice, startIndex, endIndex }) => ({
      text: slice,
      start: startIndex,
      end: endIndex,
    })),
  );
}
