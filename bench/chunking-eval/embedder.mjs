/** Unit vectors of texts by the product's own model; kept in a folder if one is given, because they cost minutes. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openEmbedder } from '../../dist/embedding/index.js';
import { InferenceEngine } from '../../dist/inference/engine.js';
import { packTexts } from '../../dist/model/text-column.js';

export async function openCachedEmbedder({ model, cacheFolder }) {
  const engine = new InferenceEngine({ provider: 'cpu' });
  const embedder = await openEmbedder({ model, engine, warm: 'bulk' });
  if (cacheFolder) mkdirSync(cacheFolder, { recursive: true });
  return {
    async embed(texts, purpose = 'passage') {
      const hash = createHash('sha256')
        .update(JSON.stringify([model, purpose, texts]))
        .digest('hex');
      const file = cacheFolder && path.join(cacheFolder, `${hash.slice(0, 32)}.f32`);
      if (file && existsSync(file)) {
        const data = new Float32Array(new Uint8Array(readFileSync(file)).buffer);
        return { dims: data.length / texts.length, data };
      }
      const { matrix } = await embedder.embed(packTexts(texts), purpose);
      if (file)
        writeFileSync(
          file,
          new Uint8Array(matrix.data.buffer, matrix.data.byteOffset, matrix.data.byteLength),
        );
      return { dims: matrix.dims, data: matrix.data };
    },
    async close() {
      await embedder.close();
      await engine.close();
    },
  };
}
