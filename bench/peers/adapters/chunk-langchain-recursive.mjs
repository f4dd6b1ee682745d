import { requirePeer } from '../peer-modules.mjs';
import { splitterAdapter, withoutPositions } from './chunk-splitter.mjs';

export async function open(corpus, { options, tokens }) {
  const { RecursiveCharacterTextSplitter } = requirePeer('@langchain/textsplitters');
  const encoding = tokens === 'fours' ? undefined : requirePeer('js-tiktoken').getEncoding('cl100k_base');
  const splitter = new RecursiveCharacterTextSplitter({
    chunkSize: encoding ? options.limitTokens : options.limitTokens * 4,
    chunkOverlap: options.overlapTokens,
    ...(encoding && { lengthFunction: (text) => encoding.encode(text, [], []).length }),
  });
  return splitterAdapter(corpus, async (text) => withoutPositions(await splitter.splitText(text)));
}
