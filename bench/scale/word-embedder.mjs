/** An Embedder of the caller's own, as `openIndex` takes it, that costs next to nothing: see word-vectors.mjs. */
import { Piscina } from 'piscina';
import { emptyCost } from '../../dist/model/embedder.js';
import { DIMS, wordVectors } from './word-vectors.mjs';

const FINGERPRINT = {
  kind: 'caller',
  name: 'word vectors',
  model: 'bench-word-vectors-1',
  tokenizer: 'caller',
  dims: DIMS,
  windowTokens: 512,
  pooling: 'none',
  normalized: true,
  queryPrefix: '',
  passagePrefix: '',
};

/** So few texts are embedded at once: a question's vector is as good as ready, and no thread is started for it. */
const AT_ONCE = 16;

/** More texts than a few are embedded in a thread of their own. */
export function wordEmbedder() {
  let pool;
  return {
    fingerprint: FINGERPRINT,
    async embed(texts) {
      const rows = texts.offsets.length - 1;
      pool ??= rows > AT_ONCE ? startPool() : undefined;
      const data = rows > AT_ONCE ? await pool.run(ownBytes(texts)) : wordVectors(texts.bytes, texts.offsets);
      return { matrix: { rows, dims: DIMS, data }, cost: emptyCost() };
    },
    async close() {
      await pool?.destroy();
    },
  };
}

function startPool() {
  return new Piscina({
    filename: new URL('./word-vector-thread.mjs', import.meta.url).href,
    minThreads: 1,
    maxThreads: 1,
  });
}

/** A view would be cloned with all of the buffer that it lies on. */
function ownBytes({ bytes, offsets }) {
  const from = offsets[0];
  return { bytes: bytes.slice(from, offsets.at(-1)), offsets: offsets.map((offset) => offset - from) };
}
