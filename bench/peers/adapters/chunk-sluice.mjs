/** Whole documents: read by their format, cut, and the columns made that the index stores. */
import { makeDocument } from '../../../dist/documents/index.js';
import { chunkerOf } from '../../lib/chunkers.mjs';
import { columnFigures, warmUp, warmUpTexts } from '../chunk-figures.mjs';

export async function open({ texts, megabytes }, { tokens, options, format }) {
  const chunker = chunkerOf(tokens, options);
  const cut = (text, i) => chunker.chunk(makeDocument({ id: `${i}`, text, title: ' ', format }));
  let columns = [];
  return {
    warmUp: () => warmUp(() => warmUpTexts(texts).map(cut)),
    run() {
      columns = texts.map(cut);
      return { units: megabytes };
    },
    quality: () => columnFigures(texts, columns),
  };
}
