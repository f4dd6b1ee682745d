import { requirePeer } from '../peer-modules.mjs';
import { splitterAdapter, withoutPositions } from './chunk-splitter.mjs';

export async function open(corpus, { options }) {
  const { MarkdownTextSplitter } = requirePeer('@langchain/textsplitters');
  const splitter = new MarkdownTextSplitter({
    chunkSize: options.limitTokens * 4,
    chunkOverlap: options.overlapTokens,
  });
  return splitterAdapter(corpus, async (text) => withoutPositions(await splitter.splitText(text)));
}
