import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkContextOptions } from './context-lines/index.js';
import { SluiceError } from './errors.js';
import type { ChunkOptions } from './model/chunker.js';
import type { ContextOptions } from './model/context-line.js';
import type { Embedder } from './model/embedder.js';
import type { Reranker } from './model/reranker.js';
import type { StoreOptions } from './store/index.js';

export interface OpenIndexOptions {
  /**
   * A name in the package, a folder with an ONNX sentence-embedding export, or an Embedder of your own. Default: the
   * model that the index was made with; for a new one all-MiniLM-L6-v2. Another model than the index's is refused.
   */
  model?: string | Embedder;
  /** A name in the package, a folder with an ONNX cross-encoder, a Reranker, or false. Default 'reranker-v0'. */
  reranker?: string | Reranker | false;
  /** How documents are cut. Default: as the index was made; another way is refused. */
  chunking?: ChunkOptions;
  /**
   * A module of the caller's that cuts documents instead: the path of an ES module, or its file URL, whose default export
   * is a Chunker or a function (ChunkerContext) → Chunker. Adding needs the chunker that the index was made with, so give
   * it again each time. It runs in a worker thread, with all rights of the process. See docs/chunking.md.
   */
  chunker?: string | URL;
  /**
   * Modules of the caller's that read files: paths or file URLs; each exports a DocumentReader with a `fingerprint`, a list
   * of them, or a function that makes either. What was said of `chunker` holds for them.
   */
  readers?: ReadonlyArray<string | URL>;
  /**
   * How long `chunker` and `readers` may take for one file, record or document, in milliseconds, waiting included. What takes
   * longer is skipped and reported with SLUICE_MODULE_STOPPED. Default 60,000.
   */
  moduleTimeoutMs?: number;
  /** Cores for inference. Default: all that the process may use, a cgroup quota included. */
  threads?: number;
  /** Make an index where there is none. Default true. */
  create?: boolean;
  /**
   * Nothing in the folder is touched, not even to bring in what a killed writer left unpublished; for read-only media.
   * Default false.
   */
  readonly?: boolean;
  /** Up to this many chunks vectors are scanned exactly, beyond in a graph. Default 50,000. */
  graphThreshold?: number;
  /** How the graph is built and searched; see GraphOptions. The defaults fit most collections. */
  graph?: GraphOptions;
  /**
   * How the database keeps the vectors of what is added from now on: 'float32', or 'float16' for half the disk and
   * three digits of each number. Default: as it was set when something was added last; 'float32' at first.
   */
  storedVectors?: 'float32' | 'float16';
  /**
   * Encoding of files whose bytes don't tell it (no byte order mark, no valid UTF-8, no declaration of their own): a
   * label of the Encoding Standard such as 'gbk', 'shift_jis' or 'windows-1252'. Holds for what is added by this open
   * index. Default: guessed from the letters, and refused where nothing is likely.
   */
  encoding?: string;
  /**
   * A line before each chunk, in what models and the keyword index read, that says where it stands in its document: written
   * by a language model behind an endpoint, or a sentence of the document. Default: none, or as the index was made; an
   * index that was made with an endpoint wants it again for adding. See docs/contextual.md.
   */
  context?: ContextOptions;
}

/**
 * The dials of the HNSW graph. `links`, `effort` and `precision` shape it when it is built: with other ones than it
 * has, it is built anew at the end of the next `add`; one that is not given is as it was set before. `searchEffort` is of
 * this process alone.
 */
export interface GraphOptions {
  /**
   * Links per node (HNSW's M), 2 to 100. Default 16. More find more in data of many dimensions; memory and file grow
   * by about 8 bytes a link and vector, building and searching take proportionally longer.
   */
  links?: number;
  /**
   * Candidates looked at for each inserted vector (efConstruction). Default 200. More make a better graph for the
   * same memory; building takes proportionally longer.
   */
  effort?: number;
  /**
   * Candidates of a search that names no `ef`, at least 2k (efSearch). Default 100. More find more of the true
   * neighbours; searches take proportionally longer.
   */
  searchEffort?: number;
  /**
   * 'int8', the default: a byte a dimension, found candidates are scored again by the exact vectors. 'float32' takes
   * four times the memory and writes a file that hnswlib opens. Another precision than the graph has builds it anew at
   * the end of the next `add`.
   */
  precision?: 'int8' | 'float32';
}

const KNOWN: readonly (keyof OpenIndexOptions)[] = [
  'model',
  'reranker',
  'chunking',
  'chunker',
  'readers',
  'moduleTimeoutMs',
  'threads',
  'create',
  'readonly',
  'graphThreshold',
  'graph',
  'storedVectors',
  'encoding',
  'context',
];

/** What each dial is called in the store. */
const GRAPH = {
  links: 'graphLinks',
  effort: 'graphEffort',
  searchEffort: 'searchEffort',
  precision: 'vectorPrecision',
} as const satisfies Record<keyof GraphOptions, keyof StoreOptions>;
const MOST_LINKS = 100;
/** The longest that a timer of Node.js waits. */
const MOST_TIMEOUT_MS = 0x7fff_ffff;

const CHUNKING: readonly (keyof ChunkOptions)[] = [
  'strategy',
  'preset',
  'tokens',
  'limitTokens',
  'overlapTokens',
  'limitWords',
  'overlapWords',
  'separators',
  'parentTokens',
  'breakpointPercentile',
  'bufferSentences',
];

/** @throws SLUICE_USAGE for an option that does not exist or a value that cannot be */
export function checkOpenOptions(folder: unknown, options: unknown): asserts options is OpenIndexOptions {
  if (typeof folder !== 'string' || folder.trim() === '' || folder.includes('\0')) {
    throw usage(`the folder of an index must be a path, not ${JSON.stringify(folder)}`);
  }
  const given = checkNames('openIndex', options, KNOWN);
  for (const name of ['threads', 'graphThreshold']) checkWhole(`openIndex: ${name}`, given[name], 1);
  checkWhole('openIndex: moduleTimeoutMs', given.moduleTimeoutMs, 1, MOST_TIMEOUT_MS);
  for (const name of ['create', 'readonly']) {
    if (given[name] === undefined || typeof given[name] === 'boolean') continue;
    throw usage(`openIndex: ${name} must be true or false, got ${String(given[name])}`);
  }
  if (given.chunking !== undefined) checkNames('chunking', given.chunking, CHUNKING);
  checkModules(given);
  if (given.graph !== undefined) checkGraph(checkNames('graph', given.graph, Object.keys(GRAPH)));
  checkChoice('openIndex: storedVectors', given.storedVectors, ['float32', 'float16']);
  checkEncoding('openIndex', given.encoding);
  if (given.context !== undefined) checkContextOptions(given.context);
  if (!isModel(given.model, 'embed')) throw usage('openIndex: model must be a name, a folder or an Embedder');
  if (given.reranker !== false && !isModel(given.reranker, 'score')) {
    throw usage('openIndex: reranker must be a name, a folder, a Reranker or false');
  }
}

function checkModules({ chunker, readers, chunking }: Record<string, unknown>): void {
  if (chunker !== undefined) {
    if (!isModule(chunker)) throw usage('openIndex: chunker must be the path or the file URL of a module');
    const { strategy } = (chunking ?? {}) as ChunkOptions;
    if (strategy !== undefined)
      throw usage(`openIndex: chunker and the strategy ${strategy} are two ways to cut`);
  }
  if (readers === undefined || (Array.isArray(readers) && readers.every(isModule))) return;
  throw usage('openIndex: readers must be a list of paths or file URLs of modules');
}

function isModule(value: unknown): boolean {
  return value instanceof URL ? value.protocol === 'file:' : typeof value === 'string' && value.trim() !== '';
}

/** The caller's modules as URLs that a worker can import; relative paths are of the working directory. */
export function callerModules({ chunker, readers, moduleTimeoutMs }: OpenIndexOptions): {
  chunker?: string;
  readers?: string[];
  moduleTimeoutMs?: number;
} {
  return {
    ...(chunker !== undefined && { chunker: moduleUrl(chunker) }),
    ...(readers !== undefined && readers.length > 0 && { readers: readers.map(moduleUrl) }),
    ...(moduleTimeoutMs !== undefined && { moduleTimeoutMs }),
  };
}

function moduleUrl(given: string | URL): string {
  if (given instanceof URL) return given.href;
  return given.startsWith('file:') ? given : pathToFileURL(resolve(given)).href;
}

function checkGraph(given: Record<string, unknown>): void {
  checkWhole('graph: links', given.links, 2, MOST_LINKS);
  checkWhole('graph: effort', given.effort, 1);
  checkWhole('graph: searchEffort', given.searchEffort, 1);
  checkChoice('graph: precision', given.precision, ['int8', 'float32']);
}

/** @throws SLUICE_USAGE for a label that the Encoding Standard does not have */
export function checkEncoding(call: string, label: unknown): void {
  if (label === undefined || isEncoding(label)) return;
  throw usage(
    `${call}: encoding ${JSON.stringify(label)} is unknown`,
    'use a label of the Encoding Standard such as "gbk" or "windows-1252"',
  );
}

function isEncoding(label: unknown): boolean {
  try {
    return typeof label === 'string' && new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

function checkChoice(what: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.includes(value as string)) return;
  throw usage(`${what} must be ${choices.map((choice) => `'${choice}'`).join(' or ')}, got ${String(value)}`);
}

function checkWhole(what: string, value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): void {
  const fits = Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
  if (value === undefined || fits) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  throw usage(`${what} must be a whole number ${range}, got ${String(value)}`);
}

/** Those of the options that the store takes, under its names. */
export function storeOptions({
  readonly,
  graphThreshold,
  graph,
  storedVectors,
}: OpenIndexOptions): StoreOptions {
  const dials = Object.entries(graph ?? {}).map(([name, value]) => [
    GRAPH[name as keyof GraphOptions],
    value,
  ]);
  return {
    ...(readonly && { readonly }),
    ...(graphThreshold !== undefined && { graphThreshold }),
    ...(storedVectors !== undefined && { storedVectors }),
    ...(Object.fromEntries(dials.filter(([, value]) => value !== undefined)) as StoreOptions),
  };
}

export function isModel(value: unknown, method: string): boolean {
  if (value === undefined || (typeof value === 'string' && value !== '')) return true;
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Record<string, unknown>)[method] === 'function'
  );
}

function checkNames(what: string, options: unknown, known: readonly string[]): Record<string, unknown> {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw usage(`the options of ${what} must be an object, not ${String(options)}`);
  }
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw usage(`${what} has no option "${name}"`, `it knows ${known.join(', ')}`);
  }
  return options as Record<string, unknown>;
}

function usage(message: string, hint?: string): SluiceError {
  return new SluiceError('SLUICE_USAGE', message, hint === undefined ? {} : { hint });
}
