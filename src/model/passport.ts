import type { ChunkOptions } from './chunker.js';
import type { ExtractiveContextOptions } from './context-line.js';
import type { EmbedderFingerprint } from './embedder.js';

/**
 * All that shapes the vectors and terms of an index. Written when an index is made, compared when it is opened; a
 * mismatch is refused with an error that names the field.
 */
export interface Passport {
  /** Version of the on-disk format. */
  formatVersion: number;
  embedder: EmbedderFingerprint;
  chunker: string;
  /** Whether chunks are children, which are searched, and their parents answer; undefined in those of older releases. */
  parents?: boolean;
  /** Fingerprints of the reader modules of the caller; undefined without any. */
  readers?: string | undefined;
  /** Name and version of the keyword analyzer, e.g. 'sluice-analyzer-1'. */
  analyzer: string;
  /** Hash of the word-segmentation dictionary. */
  dictionary: string;
  /** float32 vectors of fixed texts, made by the embedder when the index was made: int8 kernels differ between CPUs. */
  reference: { texts: string[]; vectors: number[][] } | null;
  /**
   * How to make the same embedder and chunker again. Never compared: a moved model of the same bytes is the same.
   * `model` is a name in the package or a folder; null for an embedder that the caller made. `cutFor` is the model
   * that the chunks were made to fit, where another one has embedded them since: new documents are cut as the old.
   */
  settings?: {
    model: string | null;
    chunking: ChunkOptions;
    /** Of an endpoint nothing is kept: opening an index must not send its documents anywhere. */
    context?: ExtractiveContextOptions;
    cutFor?: { model: string | null; windowTokens: number; passagePrefix: string };
  };
}

/**
 * Whether two chunkers differ in nothing but their version: then an index can be added to. What it holds keeps its cuts
 * until it changes.
 */
export function cutsAlike(one: string, other: string): boolean {
  const version = /,v\d+\)$/;
  return version.test(one) && one.replace(version, '') === other.replace(version, '');
}

/** Whether the index was cut in children, which are searched, and parents, which answer. */
export function hasParents({ chunker, parents }: Pick<Passport, 'chunker' | 'parents'>): boolean {
  // Before passports said so, there was but one strategy with parents.
  return parents ?? chunker.startsWith('parent-child(');
}
