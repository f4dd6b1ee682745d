import { SluiceError } from '../errors.js';
import type { NativePrecision } from '../native/contract.js';
import { usableCores } from '../threads/cores.js';
import type { StoredVectors } from './vector-codec.js';

/** Dials of a store. The defaults are for indexes from a handful to millions of chunks. */
export interface StoreOptions {
  /** Nothing in the folder is changed or repaired; `writer()` is refused. */
  readonly?: boolean;
  /** Up to this many vectors are scanned exactly; beyond it they go into a graph. Default 50,000. */
  graphThreshold?: number;
  /**
   * Links per node of the graph, and candidates while it is built. Default: those of the graph that is there; 16 and
   * 200 for the first one. Others than it has build it anew at the next publish.
   */
  graphLinks?: number;
  graphEffort?: number;
  /** Candidates of a graph search that names none, at least 2k. Default 100. */
  searchEffort?: number;
  /**
   * How the graph and the newer vectors beside it are kept. 'int8', at first, takes a quarter of the memory and is
   * scored again by the vectors of the database. The file of a 'float32' graph opens in hnswlib. Default and change as of
   * the links.
   */
  vectorPrecision?: NativePrecision;
  /**
   * How the database keeps vectors that are added from now on: 'float32', at first, or 'float16' for half the disk and
   * three digits. Default: as the writer before was told.
   */
  storedVectors?: StoredVectors;
  /** Up to this many documents are filtered from memory; beyond it their metadata columns go into a file. Default 10,000. */
  filterThreshold?: number;
  /** Keyword rows, and bytes of their text, that may wait for `publish`. Defaults 20,000 and 64 MiB. */
  keywordCommitChunks?: number;
  keywordCommitBytes?: number;
  /** Memory of the keyword writer. Default 128 MiB. */
  keywordMemoryBytes?: number;
  /** Threads for building graphs and writing keywords, and for one search. Defaults: the usable cores, and 1. */
  threads?: number;
  searchThreads?: number;
}

/** What is as it was before where it is undefined; see `withRememberedDials`. */
type Kept = 'graphLinks' | 'graphEffort' | 'vectorPrecision' | 'storedVectors';

export type ResolvedStoreOptions = Required<Omit<StoreOptions, Kept>> & {
  [name in Kept]: StoreOptions[name];
};

const MIB = 1024 * 1024;

const DEFAULTS = Object.freeze<Omit<ResolvedStoreOptions, 'threads'>>({
  readonly: false,
  graphThreshold: 50_000,
  graphLinks: undefined,
  graphEffort: undefined,
  searchEffort: 100,
  vectorPrecision: undefined,
  storedVectors: undefined,
  filterThreshold: 10_000,
  keywordCommitChunks: 20_000,
  keywordCommitBytes: 64 * MIB,
  keywordMemoryBytes: 128 * MIB,
  searchThreads: 1,
});

/** Of the first graph of an index. */
export const FIRST_GRAPH = Object.freeze({ links: 16, effort: 200, precision: 'int8' as const });

/** Options that are no numbers, and what they may be. */
const CHOICES: Record<string, readonly unknown[]> = {
  readonly: [true, false],
  vectorPrecision: ['int8', 'float32'],
  storedVectors: ['float32', 'float16'],
};

/** @throws SLUICE_USAGE for an unknown option, or a value that is neither a choice nor a positive integer */
export function resolveOptions(given: StoreOptions): ResolvedStoreOptions {
  const resolved: ResolvedStoreOptions = { ...DEFAULTS, threads: usableCores() };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!(name in resolved)) throw new SluiceError('SLUICE_USAGE', `unknown store option '${name}'`);
    const fits = CHOICES[name]?.includes(value) ?? (Number.isSafeInteger(value) && value > 0);
    if (!fits)
      throw new SluiceError('SLUICE_USAGE', `store option '${name}' cannot be ${JSON.stringify(value)}`);
    Object.assign(resolved, { [name]: value });
  }
  return resolved;
}
