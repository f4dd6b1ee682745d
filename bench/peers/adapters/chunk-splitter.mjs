/** A peer that is asked for one text after another. `split` gives `{ text, start?, end? }` of each chunk. */
import { chunkFigures, warmUp, warmUpTexts } from '../chunk-figures.mjs';

export function splitterAdapter({ texts, megabytes }, split) {
  let chunks = [];
  return {
    warmUp: () =>
      warmUp(async () => {
        for (const text of warmUpTexts(texts)) await split(text);
      }),
    async run() {
      chunks = [];
      for (const text of texts) chunks.push(await split(text));
      return { units: megabytes };
    },
    quality() {
      return chunkFigures(texts, chunks);
    },
  };
}

export const withoutPositions = (strings) => strings.map((text) => ({ text }));
