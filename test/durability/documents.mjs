// What the programs next to this file put into an index, and what the tests expect to find there.

export const DIMS = 8;

/** Small whole numbers from a seed, the same everywhere. */
export function randomness(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A word that only this version of a document holds. */
export const wordOf = (id, version) => `${id}x${version}`;

export const chunkText = (id, version, i) => `alpha ${wordOf(id, version)} part${i}`;

/** A unit vector that depends on the text and the number of the model alone. */
export function vectorOf(text, model = 1) {
  let seed = 6 + model;
  for (let i = 0; i < text.length; i++) seed = (Math.imul(seed, 31) + text.charCodeAt(i)) >>> 0;
  const next = randomness(seed);
  const vector = Float32Array.from({ length: DIMS }, () => next() - 0.5);
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

export function passport(formatVersion, model = 1) {
  return {
    formatVersion,
    embedder: {
      kind: 'test',
      name: 'letters',
      model: `letters-${model}`,
      tokenizer: 'none',
      dims: DIMS,
      windowTokens: 256,
      pooling: 'mean',
      normalized: true,
      queryPrefix: '',
      passagePrefix: '',
    },
    chunker: 'test-chunks-1',
    analyzer: 'test-analyzer-1',
    dictionary: 'none',
    reference: null,
  };
}

/** The number of the model that an index's passport names. */
export const modelOf = ({ embedder }) => Number(embedder.model.slice('letters-'.length));

export const metadataOf = (id, version, mark) => ({ key: wordOf(id, version), mark });

/** One version of a document, for a commit. */
export function documentOf(id, version, chunkCount, { mark = 0, model = 1 } = {}) {
  const texts = Array.from({ length: chunkCount }, (_, i) => chunkText(id, version, i));
  const encoder = new TextEncoder();
  const pieces = texts.map((text) => encoder.encode(text));
  const offsets = new Uint32Array(chunkCount + 1);
  for (let i = 0; i < chunkCount; i++) offsets[i + 1] = offsets[i] + pieces[i].length;
  const column = () => ({ bytes: new Uint8Array(Buffer.concat(pieces)), offsets: offsets.slice() });
  // One chunk a line, and ASCII: bytes are UTF-16 units.
  const start = Uint32Array.from(texts, (_, i) => offsets[i] + i);
  const end = start.map((at, i) => at + pieces[i].length);
  const vectors = new Float32Array(chunkCount * DIMS);
  for (let i = 0; i < chunkCount; i++) vectors.set(vectorOf(texts[i], model), i * DIMS);
  const record = {
    id,
    source: id,
    title: id,
    format: 'text',
    metadata: metadataOf(id, version, mark),
    contentHash: wordOf(id, version),
    text: encoder.encode(texts.join('\n')),
    chunks: {
      start,
      end,
      tokens: new Uint32Array(chunkCount).fill(3),
      startLine: Uint32Array.from(texts, (_, i) => i + 1),
      endLine: Uint32Array.from(texts, (_, i) => i + 1),
      page: new Uint32Array(chunkCount),
      parentStart: start,
      parentEnd: end,
      kind: new Uint8Array(chunkCount),
      headingPath: texts.map(() => ''),
      overLimit: new Uint8Array(chunkCount),
      embeddingText: column(),
    },
    keywordText: column(),
    embeddingHashes: null,
  };
  return { record, vectors: { rows: chunkCount, dims: DIMS, data: vectors } };
}

/** What a commit is to change, in a form that can be printed; `batchOf` makes the commit of it. */
export function batchOf({ put, remove, update }, model = 1) {
  return {
    documents: put.map(([id, version, chunkCount]) => documentOf(id, version, chunkCount, { model })),
    removeDocuments: remove,
    sources: [],
    updateMetadata: update.map(([id, version, mark]) => ({ id, metadata: metadataOf(id, version, mark) })),
  };
}
