import { requirePeer } from '../peer-modules.mjs';
import { splitterAdapter, withoutPositions } from './chunk-splitter.mjs';

export async function open(corpus, { options }) {
  const { TokenTextSplitter } = requirePeer('@langchain/textsplitters');
  const splitter = new TokenTextSplitter({
    encodingName: 'cl100k_base',
    chunkSize: options.limitTokens,
    chunkOverlap: options.overlapTokens,
    disallowedSpecial: [],
  });
  // It would fetch the encoding from the network; the same object, from the package.
  splitter.tokenizer = requirePeer('js-tiktoken').getEncoding('cl100k_base');
  return splitterAdapter(corpus, async (text) => withoutPositions(await splitter.splitText(text)));
}
