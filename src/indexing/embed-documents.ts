import { type ErrorRecord, SluiceError, toErrorRecord } from '../errors.js';
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

export interface EmbeddedDocuments {
  embedded: EmbeddedDocument[];
  /** Documents with a text that the embedder refused. */
  failed: { record: SealedRecord; error: ErrorRecord }[];
  /** Documents that an abort left without some of their vectors. */
  dropped: SealedRecord[];
}

/**
 * Embeds the chunks of documents, many documents to a call. A text that the embedder refuses fails its own document
 * only; the others go on. After an abort, documents that are complete by then still count.
 */
export async function embedDocuments(
  documents: SealedRecord[],
  texts: TextColumn,
  embedder: Embedder,
  ledger: Ledger,
  signal?: AbortSignal,
): Promise<EmbeddedDocuments> {
  const { dims } = embedder.fingerprint;
  const data = new Float32Array(textCount(texts) * dims);
  const outcome: RowOutcome = { failures: new Map(), missingFrom: textCount(texts), missingTo: 0 };
  const calls = rowRanges(textCount(texts), ROWS_PER_CALL);
  for await (const { from, to, matrix, errors } of boundedMap(calls, CALLS_UNDER_WAY, async ([from, to]) => ({
    from,
    to,
    ...(await embedRows(sliceTexts(texts, from, to), embedder, ledger, signal)),
  }))) {
    if (matrix === null) {
      outcome.missingFrom = Math.min(outcome.missingFrom, from);
      outcome.missingTo = Math.max(outcome.missingTo, to);
      continue;
    }
    data.set(matrix, from * dims);
    ledger.add({ embedded: to - from });
    for (const [row, error] of errors) outcome.failures.set(from + row, error);
  }
  return byDocument(documents, data, dims, outcome);
}

interface RowOutcome {
  failures: Map<number, ErrorRecord>;
  /** Rows between these were not all embedded. */
  missingFrom: number;
  missingTo: number;
}

/** One call; if it fails, row by row, so that only the texts at fault are lost. No matrix after an abort. */
async function embedRows(
  texts: TextColumn,
  embedder: Embedder,
  ledger: Ledger,
  signal: AbortSignal | undefined,
): Promise<{ matrix: Float32Array | null; errors: Map<number, ErrorRecord> }> {
  const errors = new Map<number, ErrorRecord>();
  try {
    const result = await embedder.embed(texts, 'passage', signal);
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
      const result = await embedder.embed(sliceTexts(texts, row, row + 1), 'passage', signal);
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

/** @throws SLUICE_EMBEDDING_INVALID for another shape than was asked for, NaN and infinite values */
export function checked(result: EmbedResult, rows: number, embedder: Embedder): Float32Array {
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
  { failures, missingFrom, missingTo }: RowOutcome,
): EmbeddedDocuments {
  const result: EmbeddedDocuments = { embedded: [], failed: [], dropped: [] };
  let at = 0;
  for (const record of documents) {
    const { rows } = record;
    const end = at + rows;
    const error = failureIn(failures, at, end);
    if (at < missingTo && end > missingFrom) result.dropped.push(record);
    else if (error) result.failed.push({ record, error });
    else
      result.embedded.push({ record, vectors: { rows, dims, data: ownRows(data, at * dims, end * dims) } });
    at = end;
  }
  return result;
}

function failureIn(failures: Map<number, ErrorRecord>, from: number, to: number): ErrorRecord | undefined {
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
