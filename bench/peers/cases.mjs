/**
 * The comparisons, as data. A case asks one question of one corpus; each engine answers it through an adapter, in a
 * process of its own. `size` and `smokeSize` count what the corpus is made of (see `sizeOf`).
 *
 * An adapter exports `open(corpus, settings)`, which is the set-up, outside the timer, and gives
 *   warmUp()   optional, outside the timer;
 *   run()      timed; how many units it did, as { units };
 *   quality()  optional, outside the timer, after run: named figures to print beside the speed;
 *   close()    optional.
 * A corpus module exports `make(folder, { size, seed, settings })`, which runs once for all rounds, and
 * `read(folder, settings)`; optionally `compare(folder)`, which sets the engines' outputs against each other.
 */

const GRAPH = {
  dims: 384,
  m: 16,
  efConstruction: 200,
  ef: 64,
  k: 10,
  seed: 100,
  threads: 2,
  queryCount: 200,
};

/** Whole Markdown files of the installed packages. */
const MARKDOWN = {
  corpus: { model: 'Markdown of the installed packages', module: './corpora/markdown.mjs', seed: 0 },
  sizeOf: 'KiB of text, as far as there is that much',
  unit: 'MB',
  smokeSize: 64,
  mustAgree: [],
};

const WINDOWS = {
  passes: 2,
  tokens: 'cl100k',
  format: 'text',
  options: { strategy: 'window', limitTokens: 500, overlapTokens: 75 },
};
const RECURSIVE = { strategy: 'recursive', overlapTokens: 0 };

export const CASES = [
  {
    name: 'vectors-insert',
    question: 'How many vectors a second go into an HNSW graph that answers equally well?',
    unit: 'vectors',
    corpus: { model: 'clustered unit vectors, 384 dimensions', module: './corpora/vectors.mjs', seed: 7 },
    sizeOf: 'vectors',
    size: 20_000,
    smokeSize: 300,
    settings: GRAPH,
    engines: {
      sluice: { adapter: './adapters/graph-sluice-float32.mjs', note: 'float32 rows, 2 threads' },
      'hnswlib-node': {
        adapter: './adapters/graph-hnswlib.mjs',
        note: 'number[] made outside the timer; has no threads',
      },
    },
    mustAgree: [],
  },
  {
    name: 'vectors-scale',
    question: 'What does a large graph cost to build, and how fast and how well does it answer?',
    unit: 'vectors',
    corpus: { model: 'clustered unit vectors, 384 dimensions', module: './corpora/vectors.mjs', seed: 7 },
    sizeOf: 'vectors',
    size: 200_000,
    smokeSize: 300,
    settings: { ...GRAPH, queryCount: 1000 },
    engines: {
      sluice: {
        adapter: './adapters/graph-sluice-int8.mjs',
        note: 'int8, 2 threads; 64 candidates a query scored again by float32, inside the timer',
      },
      'sluice float32': { adapter: './adapters/graph-sluice-float32.mjs', note: 'float32, 2 threads' },
      'hnswlib-node': {
        adapter: './adapters/graph-hnswlib.mjs',
        note: 'float32; number[] made outside the timer; has no threads',
      },
      usearch: { adapter: './adapters/graph-usearch.mjs', note: 'i8, 2 threads; connectivity 16' },
    },
    mustAgree: [],
  },
  {
    name: 'vectors-search',
    question: 'How many queries a second does the same graph file answer?',
    unit: 'queries',
    corpus: {
      model: 'clustered unit vectors in a graph that hnswlib-node wrote',
      module: './corpora/vectors-graph.mjs',
      seed: 7,
    },
    sizeOf: 'vectors',
    size: 20_000,
    smokeSize: 300,
    settings: { ...GRAPH, queryCount: 1000 },
    engines: {
      sluice: { adapter: './adapters/vectors-search-sluice.mjs', note: 'all queries in one call, 2 threads' },
      'hnswlib-node': {
        adapter: './adapters/vectors-search-hnswlib.mjs',
        note: 'one call a query, on the calling thread',
      },
    },
    mustAgree: [],
  },
  {
    name: 'tokens-count',
    question: 'How fast are the cl100k tokens of real documents counted?',
    unit: 'KiB',
    corpus: { model: 'Markdown of the installed packages', module: './corpora/markdown.mjs', seed: 0 },
    sizeOf: 'KiB of text, as far as there is that much',
    size: 4096,
    smokeSize: 64,
    settings: {},
    engines: {
      sluice: { adapter: './adapters/tokens-sluice.mjs', note: '1 thread, from strings' },
      'js-tiktoken': {
        adapter: './adapters/tokens-js-tiktoken.mjs',
        note: '1 thread; special tokens as plain text',
      },
    },
    mustAgree: ['tokens'],
  },
  {
    ...MARKDOWN,
    name: 'chunking-windows',
    question: 'How fast is text cut into windows of 500 cl100k tokens that share 75?',
    size: 4096,
    settings: WINDOWS,
    engines: {
      sluice: {
        adapter: './adapters/chunk-sluice.mjs',
        note: '1 thread; cuts between words, with offsets and lines',
      },
      langchain: {
        adapter: './adapters/chunk-langchain-tokens.mjs',
        note: 'TokenTextSplitter, 1 thread; cuts within words, no offsets',
      },
    },
  },
  {
    ...MARKDOWN,
    name: 'chunking-threads',
    question: 'What does a second worker thread add to that?',
    size: 4096,
    settings: { ...WINDOWS, passes: 16 },
    engines: {
      sluice: { adapter: './adapters/chunk-sluice-two-workers.mjs', note: '2 Piscina workers' },
      'one worker': { adapter: './adapters/chunk-sluice-one-worker.mjs', note: '1 Piscina worker' },
    },
  },
  {
    ...MARKDOWN,
    name: 'chunking-recursive',
    question: 'How fast is text cut at paragraphs, lines and sentences, 200 cl100k tokens at most?',
    size: 1024,
    settings: { tokens: 'cl100k', format: 'text', options: { ...RECURSIVE, limitTokens: 200 } },
    engines: {
      sluice: { adapter: './adapters/chunk-sluice.mjs', note: 'offsets and lines' },
      chonkie: {
        adapter: './adapters/chunk-chonkie.mjs',
        note: 'RecursiveChunker over js-tiktoken; offsets',
      },
      'llm-splitter': {
        adapter: './adapters/chunk-llm-splitter.mjs',
        note: 'by paragraphs, 150 words; offsets',
      },
      langchain: {
        adapter: './adapters/chunk-langchain-recursive.mjs',
        note: 'RecursiveCharacterTextSplitter over js-tiktoken; no offsets',
      },
    },
  },
  {
    ...MARKDOWN,
    name: 'chunking-characters',
    question: 'And if a chunk is measured in characters, 1,000 at most, so that no tokenizer is asked?',
    size: 4096,
    settings: { passes: 8, tokens: 'fours', format: 'text', options: { ...RECURSIVE, limitTokens: 250 } },
    engines: {
      sluice: { adapter: './adapters/chunk-sluice.mjs', note: 'offsets and lines' },
      chonkie: { adapter: './adapters/chunk-chonkie.mjs', note: 'RecursiveChunker; offsets' },
      langchain: {
        adapter: './adapters/chunk-langchain-recursive.mjs',
        note: 'RecursiveCharacterTextSplitter; no offsets',
      },
    },
  },
  {
    ...MARKDOWN,
    name: 'chunking-markdown',
    question: 'How fast is Markdown parsed and cut along its structure?',
    size: 4096,
    settings: {
      passes: 8,
      tokens: 'fours',
      format: 'markdown',
      options: { strategy: 'structure', limitTokens: 250, overlapTokens: 0 },
    },
    engines: {
      sluice: { adapter: './adapters/chunk-sluice.mjs', note: 'parse and cut, counting characters' },
      'sluice, WordPiece': {
        adapter: './adapters/chunk-sluice-wordpiece.mjs',
        note: "the model's tokens: 254, of which 38 shared",
      },
      langchain: {
        adapter: './adapters/chunk-langchain-markdown.mjs',
        note: 'MarkdownTextSplitter: by patterns, no parser, no offsets, counting characters',
      },
    },
  },
  {
    name: 'embed',
    question: 'What does the embedding lane cost over bare ONNX Runtime in the same number of threads?',
    unit: 'texts',
    corpus: { model: 'paragraphs of the installed Markdown', module: './corpora/paragraphs.mjs', seed: 0 },
    sizeOf: 'texts',
    size: 400,
    smokeSize: 8,
    settings: { model: 'all-MiniLM-L6-v2', dims: 384, windowTokens: 256, threads: 2 },
    engines: {
      sluice: { adapter: './adapters/embed-sluice.mjs', note: 'tokenizing included' },
      'onnxruntime-node': {
        adapter: './adapters/embed-onnxruntime.mjs',
        note: 'same token ids, made outside the timer; one text a run',
      },
    },
    mustAgree: ['texts'],
  },
];
