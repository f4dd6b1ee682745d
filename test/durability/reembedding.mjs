import { DIMS, modelOf, vectorOf } from './documents.mjs';

/** Rows of one transaction: a re-embedding of these small indexes takes some of them. */
const PORTION_ROWS = 16;

/** Makes all vectors of an index anew with the model of a passport, and puts them into the place of the old ones. */
export async function embedAnew(writer, next) {
  await writer.beginReembedding(next.embedder);
  for (;;) {
    const { labels, texts } = await writer.nextToReembed(PORTION_ROWS);
    if (labels.length === 0) break;
    const data = new Float32Array(labels.length * DIMS);
    for (let row = 0; row < labels.length; row++) {
      const text = Buffer.from(texts.bytes.subarray(texts.offsets[row], texts.offsets[row + 1])).toString();
      data.set(vectorOf(text, modelOf(next)), row * DIMS);
    }
    await writer.addReembedded(labels, { rows: labels.length, dims: DIMS, data });
  }
  await writer.finishReembedding(next);
}
