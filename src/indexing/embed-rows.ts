import { type ErrorRecord, SluiceError, toErrorRecord } from '../errors.js';
import type { Embedder, EmbeddingCost, EmbedResult } from '../model/embedder.js';
import { pickTexts, sliceTexts, type TextColumn, textCount } from '../model/text-column.js';
import { vectorTrouble } from '../model/vector-length.js';
import { untilAborted } from '../threads/abort-listeners.js';
import { boundedMap } from './bounded-map.js';
import type { Ledger } from './ledger.js';

/** Rows of one call to the embedder: enough for every worker to have work, small enough to stop soon. */
const ROWS_PER_CALL = 96;
const CALLS_UNDER_WAY = 2;

/** Rows of a batch on their way to their vectors. */
export interface EmbeddingRows {
  readonly texts: TextColumn;
  /** Vectors, one row after another. */
  readonly data: Float32Array;
  /** 1 for each row that has its vector or has failed. */
  readonly decided: Uint8Array;
  readonly failures: Map<number, ErrorRecord>;
}

/** Embeds some rows of a batch. A text that is refused is a failure of its row; an abort leaves rows undecided. */
export async function embedRows(
  batch: EmbeddingRows,
  rows: Uint32Array,
  embedder: Embedder,
  ledger: Ledger,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { dims } = embedder.fingerprint;
  const calls = boundedMap(portions(rows), CALLS_UNDER_WAY, async (portion) => ({
    portion,
    ...(await embedTexts(pickTexts(batch.texts, portion), embedder, ledger, signal)),
  }));
  for await (const { portion, matrix, errors } of calls) {
    if (matrix === null) continue;
    portion.forEach((row, i) => {
      batch.data.set(matrix.subarray(i * dims, (i + 1) * dims), row * dims);
      batch.decided[row] = 1;
    });
    ledger.add({ embedded: portion.length });
    for (const [i, error] of errors) batch.failures.set(portion[i]!, error);
  }
}

/** One call; if it fails, row by row, so that only the texts at fault are lost. No matrix after an abort. */
async function embedTexts(
  texts: TextColumn,
  embedder: Embedder,
  ledger: Ledger,
  signal: AbortSignal | undefined,
): Promise<{ matrix: Float32Array | null; errors: Map<number, ErrorRecord> }> {
  const errors = new Map<number, ErrorRecord>();
  try {
    const result = await untilAborted(embedder.embed(texts, 'passage', signal), signal);
    account(result.cost, ledger);
    return { matrix: checked(result, textCount(texts), embedder), errors };
  } catch (error) {
    if (signal?.aborted) return { matrix: null, errors };
    if (fatal(error)) throw error;
  }
  const { dims } = embedder.fingerprint;
  const matrix = new Float32Array(textCount(texts) * dims);
  for (let row = 0; row < textCount(texts); row++) {
    try {
      const text = sliceTexts(texts, row, row + 1);
      const result = await untilAborted(embedder.embed(text, 'passage', signal), signal);
      account(result.cost, ledger);
      matrix.set(checked(result, 1, embedder), row * dims);
    } catch (error) {
      if (signal?.aborted) return { matrix: null, errors };
      if (fatal(error)) throw error;
      errors.set(row, toErrorRecord(error, 'SLUICE_MODEL_FAILED'));
    }
  }
  return { matrix, errors };
}

/** A model that cannot run at all, or an abort, ends the run: trying every row would only repeat it. */
function fatal(error: unknown): boolean {
  const { code } = toErrorRecord(error, 'SLUICE_MODEL_FAILED');
  return code === 'SLUICE_ABORTED' || code === 'SLUICE_MODEL_INVALID' || code === 'SLUICE_NATIVE_UNAVAILABLE';
}

export function checked(result: EmbedResult, rows: number, embedder: Embedder): Float32Array {
  const { dims } = embedder.fingerprint;
  const { matrix } = result;
  if (matrix.rows !== rows || matrix.dims !== dims || matrix.data.length !== rows * dims) {
    throw new SluiceError(
      'SLUICE_EMBEDDING_INVALID',
      `the embedder returned ${matrix.rows} × ${matrix.dims} values for ${rows} texts of ${dims} dimensions`,
    );
  }
  for (let row = 0; row < rows; row++) {
    const trouble = vectorTrouble(matrix.data, row * dims, dims);
    if (trouble === undefined) continue;
    throw new SluiceError('SLUICE_EMBEDDING_INVALID', `a vector of the embedder ${trouble}`, {
      details: { row },
    });
  }
  return matrix.data;
}

function account(cost: EmbeddingCost, ledger: Ledger): void {
  ledger.add({
    tokens: cost.tokens,
    pooledChunks: cost.pooled,
    truncatedChunks: cost.truncatedTexts,
    truncatedTokens: cost.truncatedTokens,
  });
  ledger.spend({ tokenize: cost.tokenizeMs, embed: cost.inferenceMs });
}

function* portions(rows: Uint32Array): Generator<Uint32Array, void, undefined> {
  for (let from = 0; from < rows.length; from += ROWS_PER_CALL) {
    yield rows.subarray(from, from + ROWS_PER_CALL);
  }
}
