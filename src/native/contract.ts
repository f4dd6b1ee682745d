/**
 * What the Rust addon exports: the border between TypeScript and native-bindings/. A test holds this file against
 * the addon. Rules of the border:
 *  - every typed array may be a view with a byteOffset or lie on a SharedArrayBuffer; a detached array or a wrong
 *    type or length throws SLUICE_NATIVE_ARGUMENT; nothing is ever read wrongly;
 *  - asynchronous calls copy their inputs before they return, and run on threads that the addon owns;
 *  - errors carry a `code` of src/errors.ts.
 */

/** `rowOffsets` has rows + 1 entries into `ids`. */
export interface EncodedRows {
  ids: Uint32Array;
  rowOffsets: Uint32Array;
}

export interface EncodedPairs extends EncodedRows {
  typeIds: Uint8Array;
}

/** UTF-16 position at which each token begins; `first` is 1 where it begins a piece: see TokenPieces. */
export interface NativePieces {
  starts: Uint32Array;
  first: Uint8Array;
}

/** A model's own tokenizer (tokenizer.json). Truncation and padding of the file are ignored. Synchronous. */
export interface NativeTokenizer {
  /** Special tokens that one text, and a pair of texts, gets. */
  readonly specialTokens: number;
  readonly specialTokensPair: number;
  /** Tokens without special ones. */
  count(text: string): number;
  /** The same of each row. `bytes` and `offsets` as in TextColumn. */
  countRows(bytes: Uint8Array, offsets: Uint32Array): Uint32Array;
  /** Token ids of each row; with `special`, [CLS] and [SEP] where the model wants them. Content never makes one. */
  encodeRows(bytes: Uint8Array, offsets: Uint32Array, special: boolean): EncodedRows;
  /** Pairs (query, row), never truncated: the caller cuts passages into windows first. */
  encodePairs(query: string, bytes: Uint8Array, offsets: Uint32Array): EncodedPairs;
  /** UTF-16 positions: `[start0, end0, start1, end1, …]`. */
  spans(text: string): Uint32Array;
  /** Ten times as fast as `spans` where the tokenizer is BERT's WordPiece. */
  pieces(text: string): NativePieces;
}

/** An OpenAI encoding by the bpe-openai crate. Synchronous; linear in the length of the text. */
export interface NativeBpe {
  count(text: string): number;
  countRows(bytes: Uint8Array, offsets: Uint32Array): Uint32Array;
  encodeRows(bytes: Uint8Array, offsets: Uint32Array): EncodedRows;
  spans(text: string): Uint32Array;
  pieces(text: string): NativePieces;
}

/**
 * Classes and functions of a source text, by tree-sitter. Positions are UTF-16. Rows come in the order of their starts,
 * each before those that lie in it; spans nest or follow each other. Inside a function of under 2,000 bytes, and below
 * depth 6, nothing is reported.
 */
export interface NativeCodeOutline {
  /** Whole lines where nothing else is on them, from the comments and attributes that belong to the definition on. */
  start: Uint32Array;
  end: Uint32Array;
  /** From the first word that is no attribute to the body or the comments before it; at most 400 bytes. */
  signatureStart: Uint32Array;
  signatureEnd: Uint32Array;
  /** Empty where it has no name. */
  nameStart: Uint32Array;
  nameEnd: Uint32Array;
  /** 1 for those that lie in no other, 6 at most. */
  depth: Uint8Array;
  /** 0 namespace or what a banner heads, 1 type, 2 function, 3 object with functions or data. */
  kind: Uint8Array;
}

export interface NativeHits {
  labels: Uint32Array;
  scores: Float32Array;
}

/** Keyword index (tantivy). One writer; readers see the last commit that they refreshed to. */
export interface NativeKeywordWriter {
  /** Rows become documents; text as in TextColumn. Replaces nothing: labels are new. */
  add(labels: Uint32Array, bytes: Uint8Array, offsets: Uint32Array): Promise<void>;
  remove(labels: Uint32Array): Promise<void>;
  /** Durable when it resolves: segments, meta file and the folder are synced. `payload` comes back from readers. */
  commit(payload: string): Promise<void>;
  /** The next commit holds only what is added from now on. Call it right after a commit; `merge` has to follow. */
  clear(): Promise<void>;
  /** One segment of what is committed; removes files that no commit needs. Readers keep what they have open. */
  merge(): Promise<void>;
  close(): Promise<void>;
}

/** Every byte that a reader or writer opens was compared with its checksum; SLUICE_INDEX_CORRUPT names the file. */
export interface NativeKeywordReader {
  /** Payload of the commit that this reader sees; '' before the first. */
  readonly payload: string;
  /** Its rows that are not removed, and the sum of their labels modulo 2^32. */
  readonly documents: number;
  readonly labelSum: number;
  refresh(): Promise<void>;
  /**
   * BM25 (k1 1.2, b 0.75) over the OR of the query's terms. `allow`: bits by label as in LabelSet, or null for all.
   * Equal scores come in ascending label order. k = 0 gives nothing.
   */
  search(query: string, k: number, allow: Uint8Array | null): Promise<NativeHits>;
  close(): Promise<void>;
}

/** What reading every file of a keyword index found. */
export interface NativeKeywordCheck {
  files: number;
  bytes: number;
  /** Sentences that name the file. */
  problems: string[];
  payload: string;
  /** Of the rows that are not removed, ascending; empty where there are problems. */
  labels: Uint32Array;
}

/**
 * How vectors are kept. int8: a byte a dimension and a scale a vector, so scores are approximate. float32: as given,
 * and a graph's file is hnswlib's.
 */
export type NativePrecision = 'int8' | 'float32';

/** An HNSW graph in a file that is mapped and searched where it lies; its pages are shared with all who map it. */
export interface NativeGraphSnapshot {
  readonly size: number;
  readonly dims: number;
  /**
   * `queries`: any number of rows. Per query up to k hits, best first, at `labels[q * k ..]`; `counts[q]` says how
   * many: fewer than k only where fewer are allowed. Scores are similarities: the dot product for 'ip' and 'cosine',
   * minus the squared distance for 'l2'; approximate with int8. ef: candidates of the walk, k at least.
   */
  search(
    queries: Float32Array,
    k: number,
    ef: number,
    threads: number,
    allow: Uint8Array | null,
  ): Promise<NativeHits & { counts: Uint32Array }>;
}

/** An HNSW graph in memory that can be asked like a snapshot, and grows by itself. */
export interface NativeGraph extends NativeGraphSnapshot {
  /** `vectors`: labels.length × dims. Labels must be new; ascending ones cost the least. All or nothing. */
  insert(labels: Uint32Array, vectors: Float32Array, threads: number): Promise<void>;
  /**
   * Writes a temporary file, syncs it, renames it, syncs the folder. `note`: up to 2,048 bytes that come back from
   * `describe`; a float32 file has no place for it.
   */
  save(path: string, note: string): Promise<void>;
}

/** What a graph file says about itself. */
export interface NativeGraphFile {
  precision: NativePrecision;
  dims: number;
  /** Missing in a float32 file. */
  metric?: NativeMetric;
  m: number;
  efConstruction: number;
  count: number;
  note: string;
}

/** Flat rows that are scanned whole: the tail and, with float32, the twin of the graph. */
export interface NativeFlatVectors {
  readonly size: number;
  readonly dims: number;
  append(labels: Uint32Array, vectors: Float32Array): void;
  search(query: Float32Array, k: number, threads: number, allow: Uint8Array | null): Promise<NativeHits>;
}

/** `unknown` holds a field that the filter names and no living document has: then the rest of the answer is empty. */
export interface NativeSelection {
  unknown: string[];
  bits: Uint8Array;
  count: number;
}

export interface NativeCount {
  unknown: string[];
  documents: number;
  chunks: number;
}

export interface NativeIds {
  unknown: string[];
  ids: string[];
}

/** Value i is of kind `kinds[i]`: 0 null, 1 false, 2 true, 3 the next of `numbers`, 4 the next of `texts`. */
export interface NativeFacetRows {
  unknown: string[];
  kinds: Uint8Array;
  numbers: Float64Array;
  texts: string[];
  documents: Uint32Array;
  chunks: Uint32Array;
  /** Values there are, over the limit too. */
  distinct: number;
}

/**
 * Metadata columns of one segment file. `rows`: key, generation of birth, first label and chunk count of each
 * document, keys ascending; the texts are five a document: id, source, title, format, metadata as JSON.
 */
export interface NativeFilterWriter {
  add(rows: Float64Array, bytes: Uint8Array, offsets: Uint32Array): Promise<void>;
  /** Durable when it resolves: a temporary file, synced, renamed, and the folder synced. No row is left afterwards. */
  save(path: string, index: string, generation: number): Promise<void>;
}

/**
 * Filters over the documents of a generation, in segments. Changes happen in the order of the calls; a question is
 * answered from the state at its call. `filter` is a FilterNode as JSON, or '' for all.
 */
export interface NativeFilterIndex {
  /** Documents of each segment, dead ones included. */
  readonly segments: Uint32Array;
  /** Highest key in the segments; 0 without any. */
  readonly lastKey: number;
  /**
   * Puts a file's segment in the place of all others; documents born after generation `at` stay out. Rejects with
   * SLUICE_INDEX_CORRUPT where the file is damaged or not the one that is meant, and nothing has changed then.
   */
  open(path: string, index: string, generation: number, at: number): Promise<void>;
  add(rows: Float64Array, bytes: Uint8Array, offsets: Uint32Array): Promise<void>;
  /** Makes a segment in memory of the rows that were added. */
  seal(): Promise<void>;
  /** Drops the segments after the first `count`. */
  keep(count: number): Promise<void>;
  /** Documents that died, by key; keys that are not in are fine. */
  remove(keys: Float64Array): Promise<void>;
  /** All documents that live, by key; every other one is dead. */
  retain(keys: Float64Array): Promise<void>;
  /** Labels of the living documents that pass, as bits up to `maxLabel`. */
  select(filter: string, maxLabel: number): Promise<NativeSelection>;
  count(filter: string): Promise<NativeCount>;
  /** Values of a field among the documents that pass: most documents first, equal ones by value. */
  facets(field: string, filter: string, limit: number): Promise<NativeFacetRows>;
  /** Ids of documents that pass, after the given one, in the order of code points. */
  list(filter: string, after: string | null, limit: number): Promise<NativeIds>;
  /** Names of the fields that living documents have. */
  fields(): Promise<string[]>;
}

export type NativeMetric = 'cosine' | 'ip' | 'l2';

/** An advisory lock of the operating system: freed when the process ends, however it ends. */
export interface NativeFileLock {
  release(): void;
}

export interface NativeAddon {
  ModelTokenizer: { fromFile(path: string): NativeTokenizer };
  BpeEncoding: { load(name: 'cl100k' | 'o200k'): NativeBpe };
  /**
   * Synchronous: 1 to 10 MB/s, broken code included. Null for a text over 4 MiB, over a bound of work that no ordinary
   * code comes near, or with a shape that ends a grammar's scanner. `grammar`: 'typescript', 'tsx', 'javascript',
   * 'python', 'rust', 'go', 'java', 'c', 'cpp', 'csharp', 'ruby', 'php', 'kotlin', 'bash', 'lua'.
   */
  codeOutline(grammar: string, text: string): NativeCodeOutline | null;
  KeywordWriter: { open(path: string, threads: number, memoryBytes: number): NativeKeywordWriter };
  KeywordReader: { open(path: string): NativeKeywordReader };
  /** Reads every file of the newest commit, whether this process has checked it before or not. */
  checkKeywordIndex(path: string): Promise<NativeKeywordCheck>;
  /**
   * With a `spillFolder` the vectors of a graph lie in a file there that has no name, not in the process's own memory, if
   * the system can do that (Linux) and the disk has room.
   */
  VectorGraph: {
    create(
      dims: number,
      metric: NativeMetric,
      precision: NativePrecision,
      m: number,
      efConstruction: number,
      seed: number,
      spillFolder?: string | null,
    ): NativeGraph;
    /** Checks a file and copies it into memory. Errors as of `GraphSnapshot.open`. */
    load(
      path: string,
      dims: number,
      metric: NativeMetric,
      threads: number,
      spillFolder?: string | null,
    ): Promise<NativeGraph>;
  };
  GraphSnapshot: {
    /**
     * Checks a whole file of either precision, and maps it. Rejects with SLUICE_INDEX_CORRUPT and the place where it is
     * damaged, SLUICE_NATIVE_ARGUMENT where dims or metric are not those asked for.
     */
    open(path: string, dims: number, metric: NativeMetric, threads: number): Promise<NativeGraphSnapshot>;
    /** Reads the header alone. Synchronous. */
    describe(path: string): NativeGraphFile;
  };
  FlatVectors: { create(dims: number, metric: NativeMetric, precision: NativePrecision): NativeFlatVectors };
  /** Float32 scores of some hundred rows against a query, as a float32 search gives them. Synchronous. */
  scoreRows(query: Float32Array, rows: Float32Array, metric: NativeMetric): Float32Array;
  FilterWriter: { create(): NativeFilterWriter };
  FilterIndex: { create(): NativeFilterIndex };
  /** Terms that the keyword index would store for a text, in order. */
  analyze(text: string): string[];
  /** Name and version of the analyzer, for the passport. */
  analyzerName(): string;
  /** Null if another process, or another holder in this one, has it. The file is made if missing and kept. */
  tryLockFile(path: string): NativeFileLock | null;
  /** A lock that holders share, on a file that exists and need only be readable; null if missing or held alone. */
  tryShareFile(path: string): NativeFileLock | null;
  /** CPU time of the calling thread in milliseconds; null where the system does not tell. */
  threadCpuMs(): number | null;
  /** Gives freed memory back to the system, where the allocator keeps it. Takes milliseconds. */
  releaseMemory(): void;
  /** What the CPU dispatch found, e.g. { arch: 'x86_64', features: ['avx2', 'avx512f'], kernel: 'avx512vnni' }. */
  cpu(): { arch: string; features: string[]; kernel: string };
  /** The distance kernels that this CPU can run, best first. SLUICE_KERNEL in the environment names one to use. */
  kernelNames(): string[];
}
