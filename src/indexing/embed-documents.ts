import { SluiceError, toErrorRecord } from '../errors.js';
import type { Embedder, EmbeddingCost, EmbeddingMatrix, EmbedResult } from '../model/embedder.js';
import type { SealedRecord } from '../model/sealed-record.js';
import { sliceTexts, type TextColumn, textCount } from '../model/text-column.js';
import { boundedMap } from './bounded-map.js';
import type { Ledger } from './ledger.js';

export interface EmbeddedDocument {
  record: SealedRecord;
  vectors: EmbeddingMatrix;
}

/** Rows of one call to the embedder: enough for every worker to have work, small enough to stop soon. */
const ROWS_PER_CALL = 96;
const CALLS_UNDER_WAY = 2;

/**
 * Embeds the chunks of documents, many documents to a call. A text that the embedder refuses fails its own document
 * only; the others go on.
 */
export async function embedDocuments(
  documents: SealedRecord[],
  texts: TextColumn,
  embedder: Embedder,
  ledger: Ledger,
  signal?: AbortSignal,
): Promise<{ embedded: EmbeddedDocument[]; failed: { record: SealedRecord; error: SluiceError }[] }> {
  const { dims } = embedder.fingerprint;
  const data = new Float32Array(textCount(texts) * dims);
  const failures = new Map<number, SluiceError>();
  const calls = rowRanges(textCount(texts), ROWS_PER_CALL);
  for await (const { from, matrix, errors } of boundedMap(calls, CALLS_UNDER_WAY, async ([from, to]) => ({
    from,
    ...(await embedRows(sliceTexts(texts, from, to), embedder, ledger, signal)),
  }))) {
    data.set(matrix, from * dims);
    for (const [row, error] of errors) failures.set(from + row, error);
  }
  return byDocument(documents, data, dims, failures);
}

/** One call; if it fails, row by row, so that only the texts at fault are lost. */
async function embedRows(
  texts: TextColumn,
  embedder: Embedder,
  ledger: Ledger,
  signal: AbortSignal | undefined,
): Promise<{ matrix: Float32Array; errors: Map<number, SluiceError> }> {
  const errors = new Map<number, SluiceError>();
  try {
    const result = await embedder.embed(texts, 'passage', signal);
    account(result.cost, ledger);
    return { matrix: checked(result, textCount(texts), embedder), errors };
  } catch (error) {
    if (fatal(error)) throw error;
  }
  const { dims } = embedder.fingerprint;
  const matrix = new Float32Array(textCount(texts) * dims);
  for (let row = 0; row < textCount(texts); row++) {
    try {
      const result = await embedder.embed(sliceTexts(texts, row, row + 1), 'passage', signal);
      account(result.cost, ledger);
      matrix.set(checked(result, 1, embedder), row * dims);
    } catch (error) {
      if (fatal(error)) throw error;
      const { code, message, details } = toErrorRecord(error, 'SLUICE_MODEL_FAILED');
      errors.set(row, new SluiceError(code, message, { cause: error, details }));
    }
  }
  return { matrix, errors };
}

/** A model that cannot run at all, or an abort, ends the run: trying every row would only repeat it. */
function fatal(error: unknown): boolean {
  const { code } = toErrorRecord(error, 'SLUICE_MODEL_FAILED');
  return code === 'SLUICE_ABORTED' || code === 'SLUICE_MODEL_INVALID' || code === 'SLUICE_NATIVE_UNAVAILABLE';
}

function checked(result: EmbedResult, rows: number, embedder: Embedder): Float32Array {
  const { dims } = embedder.fingerprint;
  const { matrix } = result;
  if (matrix.rows !== rows || matrix.dims !== dims || matrix.data.length !== rows * dims) {
    throw new SluiceError(
      'SLUICE_EMBEDDING_INVALID',
      `the embedder returned ${matrix.rows} × ${matrix.dims} values for ${rows} texts of ${dims} dimensions`,
    );
  }
  // Times zero: NaN as soon as one value is not finite. Forty thousand tests would hold the main thread for longer.
  let sum = 0;
  const { data } = matrix;
  for (let i = 0; i < data.length; i++) sum += data[i]! * 0;
  if (sum === 0) return data;
  throw new SluiceError('SLUICE_EMBEDDING_INVALID', 'the embedder returned NaN or an infinite value');
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

function byDocument(
  documents: SealedRecord[],
  data: Float32Array,
  dims: number,
  failures: Map<number, SluiceError>,
): Awaited<ReturnType<typeof embedDocuments>> {
  const embedded: EmbeddedDocument[] = [];
  const failed: { record: SealedRecord; error: SluiceError }[] = [];
  let at = 0;
  for (const record of documents) {
    const { rows } = record;
    const error = failureIn(failures, at, at + rows);
    if (error) failed.push({ record, error });
    else
      embedded.push({ record, vectors: { rows, dims, data: ownRows(data, at * dims, (at + rows) * dims) } });
    at += rows;
  }
  return { embedded, failed };
}

function failureIn(failures: Map<number, SluiceError>, from: number, to: number): SluiceError | undefined {
  for (let row = from; row < to && failures.size > 0; row++) {
    const error = failures.get(row);
    if (error) return error;
  }
  return undefined;
}

function rowRanges(rows: number, size: number): [number, number][] {
  const ranges: [number, number][] = [];
  for (let from = 0; from < rows; from += size) ranges.push([from, Math.min(rows, from + size)]);
  return ranges;
}

/** In a buffer of its own; a document that is alone keeps the buffer that it has, which may be large. */
function ownRows(data: Float32Array, from: number, to: number): Float32Array {
  return from === 0 && to === data.length ? data : data.slice(from, to);
}
