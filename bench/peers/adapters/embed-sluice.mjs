import { openEmbedder } from '../../../dist/embedding/index.js';
import { InferenceEngine } from '../../../dist/inference/engine.js';
import { packTexts } from '../../../dist/model/text-column.js';

export async function open(corpus, { model, threads }) {
  const engine = new InferenceEngine({ workers: threads, provider: 'cpu' });
  const embedder = await openEmbedder({ model, engine, warm: 'bulk' });
  const texts = packTexts(corpus.texts);
  let result;
  return {
    /** Enough rows for every worker of the lane to get some and load its session. */
    async warmUp() {
      await embedder.embed(
        packTexts(corpus.texts.slice(0, 1).concat(...Array(64).fill('warm up'))),
        'passage',
      );
    },
    async run() {
      result = await embedder.embed(texts, 'passage');
      return { units: result.matrix.rows };
    },
    async quality() {
      await corpus.keepVectors('sluice', result.matrix.data);
      return { texts: result.matrix.rows };
    },
    async close() {
      await embedder.close();
      await engine.close();
    },
  };
}
