import { SluiceError } from './errors.js';
import type { ChunkOptions } from './model/chunker.js';
import type { Embedder } from './model/embedder.js';
import type { Reranker } from './model/reranker.js';

/** The models that lie in the package. */
export const DEFAULT_MODEL = 'all-MiniLM-L6-v2';
export const DEFAULT_RERANKER = 'reranker-v0';

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
}

const KNOWN: readonly (keyof OpenIndexOptions)[] = [
  'model',
  'reranker',
  'chunking',
  'threads',
  'create',
  'readonly',
  'graphThreshold',
];

/** @throws SLUICE_USAGE for an option that does not exist or a value that cannot be */
export function checkOpenOptions(options: OpenIndexOptions): void {
  for (const name of Object.keys(options)) {
    if ((KNOWN as readonly string[]).includes(name)) continue;
    throw new SluiceError('SLUICE_USAGE', `openIndex has no option "${name}"`, {
      hint: `it knows ${KNOWN.join(', ')}`,
    });
  }
  for (const name of ['threads', 'graphThreshold'] as const) {
    const value = options[name];
    if (value === undefined || (Number.isInteger(value) && value >= 1)) continue;
    throw new SluiceError(
      'SLUICE_USAGE',
      `openIndex: ${name} must be a whole number of 1 or more, got ${value}`,
    );
  }
}
