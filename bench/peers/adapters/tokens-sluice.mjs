import { packTexts } from '../../../dist/model/text-column.js';
import { addon } from '../../../dist/native/addon.js';

export async function open(corpus) {
  const encoding = addon().BpeEncoding.load('cl100k');
  let tokens = 0;
  /** From strings, as a caller has them: making the UTF-8 column is part of the cost. */
  const count = (texts) => {
    const column = packTexts(texts);
    return encoding.countRows(column.bytes, column.offsets).reduce((sum, row) => sum + row, 0);
  };
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
