import { type ErrorRecord, fromErrorRecord, type SluiceError } from '../errors.js';
import { type EmbeddingCost, type EmbedResult, emptyCost } from '../model/embedder.js';
import { type TextColumn, textCount } from '../model/text-column.js';
import type { Lane } from './lane.js';
import { copyRows, EMBED_BATCH, planBatches, SCORE_BATCH } from './micro-batches.js';
import type { ModelShape } from './model-spec.js';
import { Coverage, type ModelRef } from './protocol.js';

/** Opens a model in one worker of the lane. */
export async function openJob(lane: Lane, model: ModelRef): Promise<ModelShape> {
  let shape: ModelShape | undefined;
  await lane.run<'open'>({
    pieces: [[0, 1]],
    task: () => ({ kind: 'open', model }),
    accept: (_, reply) => {
      shape = reply;
      return 1;
    },
    failure: (_, record) => fromErrorRecord(record),
  });
  return shape!;
}

/** Embeds a column in micro-batches; the rows of the result are in input order. */
export async function embedJob(
  lane: Lane,
  model: ModelRef,
  dims: number,
  texts: TextColumn,
  prefix: string,
  signal: AbortSignal | undefined,
): Promise<EmbedResult> {
  const rows = textCount(texts);
  const data = new Float32Array(rows * dims);
  const cost = emptyCost();
  await lane.run<'embed'>(
    {
      pieces: planBatches(texts, EMBED_BATCH),
      task: ([from, to]) => ({ kind: 'embed', model, prefix, ...copyRows(texts, from, to, prefix) }),
      accept: ([from], reply) => {
        data.set(reply.vectors, from * dims);
        addCost(cost, reply);
        return reply.rows;
      },
      failure: ([from], record) => rowFailure(record, from),
    },
    signal,
  );
  return { matrix: { rows, dims, data }, cost };
}

/** What a rerank says beyond its scores. */
export interface ScoreResult {
  scores: Float32Array;
  /** 1 where the passage was over the window. */
  windowed: Uint8Array;
  /** 1 where the passage had more windows than are read: the most promising ones were. */
  capped: Uint8Array;
  queryTokensCut: number;
  tokens: number;
  tokenizeMs: number;
  inferenceMs: number;
}

/** Scores passages against a query, spread over the lane's workers. */
export async function scoreJob(
  lane: Lane,
  model: ModelRef,
  query: string,
  passages: TextColumn,
  signal: AbortSignal | undefined,
): Promise<ScoreResult> {
  const rows = textCount(passages);
  const result: ScoreResult = {
    scores: new Float32Array(rows),
    windowed: new Uint8Array(rows),
    capped: new Uint8Array(rows),
    queryTokensCut: 0,
    tokens: 0,
    tokenizeMs: 0,
    inferenceMs: 0,
  };
  await lane.run<'score'>(
    {
      pieces: planBatches(passages, SCORE_BATCH),
      task: ([from, to]) => ({ kind: 'score', model, query, ...copyRows(passages, from, to, '') }),
      accept: ([from], reply) => {
        result.scores.set(reply.scores, from);
        for (const [row, coverage] of reply.coverage.entries()) {
          result.windowed[from + row] = coverage === Coverage.whole ? 0 : 1;
          result.capped[from + row] = coverage === Coverage.promisingWindows ? 1 : 0;
        }
        result.queryTokensCut = reply.queryTokensCut;
        result.tokens += reply.tokens;
        result.tokenizeMs += reply.tokenizeMs;
        result.inferenceMs += reply.inferenceMs;
        return reply.scores.length;
      },
      failure: ([from], record) => rowFailure(record, from),
    },
    signal,
  );
  return result;
}

function addCost(cost: EmbeddingCost, part: Omit<EmbeddingCost, 'truncatedTexts' | 'truncatedTokens'>): void {
  cost.tokens += part.tokens;
  cost.pooled += part.pooled;
  cost.tokenizeMs += part.tokenizeMs;
  cost.inferenceMs += part.inferenceMs;
}

/** A worker counts rows from the start of its batch; the caller counts from the start of the column. */
function rowFailure(record: ErrorRecord, firstRow: number): SluiceError {
  if (typeof record.details.row !== 'number') return fromErrorRecord(record);
  const row = record.details.row + firstRow;
  return fromErrorRecord({
    ...record,
    message: `${record.message} (row ${row})`,
    details: { ...record.details, row },
  });
}
