import { SluiceError } from '../errors.js';
import type { Embedder } from '../model/embedder.js';
import type { Passport } from '../model/passport.js';
import { packTexts } from '../model/text-column.js';

export type VectorReference = NonNullable<Passport['reference']>;

/** Embedded when an index is made, and again when it is opened. Never changed: old indexes carry their vectors. */
export const REFERENCE_TEXTS: readonly string[] = [
  'The warranty covers repairs for two years from the date of purchase.',
  'How do I reset a forgotten password?',
  'Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.',
  'function add(a, b) { return a + b; }',
  'Error E1043: connection refused by host after 30 seconds',
  'Die Lieferung dauert höchstens drei Werktage.',
  '退款通常在四十八小时内到账。',
  'x',
];

/**
 * Smallest cosine between a reference vector and its remake that counts as the same model. int8 kernels round
 * differently: between an x86 CPU with VNNI and one without, the embedded model (7-bit weights) keeps 0.999, and
 * a file with full 8-bit weights, whose sums overflow there, 0.991. Another model is far below, another
 * pooling or prefix of the same one too; another quantization (0.988 and more) is told apart by the model's hash.
 */
export const LEAST_REFERENCE_COSINE = 0.98;

/** Vectors of the fixed texts, rounded to 6 decimals, for the passport. */
export async function makeReference(embedder: Embedder, signal?: AbortSignal): Promise<VectorReference> {
  const rows = await embedTexts(embedder, REFERENCE_TEXTS, signal);
  return {
    texts: [...REFERENCE_TEXTS],
    vectors: rows.map((row) => Array.from(row, (value) => Math.round(value * 1e6) / 1e6)),
  };
}

export interface ReferenceComparison {
  /** By text: cosine between the kept vector and the one that the embedder makes now. */
  cosines: number[];
  minCosine: number;
}

export async function compareReference(
  reference: VectorReference,
  embedder: Embedder,
  signal?: AbortSignal,
): Promise<ReferenceComparison> {
  const rows = await embedTexts(embedder, reference.texts, signal);
  const cosines = rows.map((row, i) => cosine(row, reference.vectors[i] ?? []));
  return { cosines, minCosine: Math.min(1, ...cosines) };
}

/**
 * @returns the comparison, if it passes
 * @throws SLUICE_PASSPORT_MISMATCH with the field `reference` and the cosine
 */
export async function checkReference(
  reference: VectorReference,
  embedder: Embedder,
  least: number = LEAST_REFERENCE_COSINE,
  signal?: AbortSignal,
): Promise<ReferenceComparison> {
  const comparison = await compareReference(reference, embedder, signal);
  // Written so that NaN fails.
  if (comparison.minCosine >= least) return comparison;
  const found = comparison.minCosine.toFixed(4);
  throw new SluiceError(
    'SLUICE_PASSPORT_MISMATCH',
    `reference: ${embedder.fingerprint.name} makes other vectors than the index holds (cosine ${found})`,
    {
      hint: `at least ${least} is expected; use the model and settings that made the index, or build it anew`,
      details: { field: 'reference', expected: least, actual: comparison.minCosine },
    },
  );
}

async function embedTexts(embedder: Embedder, texts: readonly string[], signal?: AbortSignal) {
  const { matrix } = await embedder.embed(packTexts(texts), 'passage', signal);
  const { rows, dims, data } = matrix;
  return Array.from({ length: rows }, (_, row) => data.subarray(row * dims, (row + 1) * dims));
}

/** NaN where the lengths differ. */
function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.NaN;
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let d = 0; d < a.length; d++) {
    dot += a[d]! * b[d]!;
    aa += a[d]! * a[d]!;
    bb += b[d]! * b[d]!;
  }
  return dot / Math.sqrt(aa * bb);
}
