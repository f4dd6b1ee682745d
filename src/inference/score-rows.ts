import { SluiceError } from '../errors.js';
import { packTexts, type TextColumn } from '../model/text-column.js';
import type { OnnxModel } from './onnx-model.js';
import { Coverage, type ScoreReply } from './protocol.js';
import { relevanceHead } from './relevance-head.js';
import { mostPromising, splitOverlapping } from './token-windows.js';

/**
 * Windows of one passage that the model reads at most, so that one giant passage cannot stall a rerank: those that
 * hold most of the query's tokens.
 */
export const MOST_WINDOWS = 8;

/**
 * Scores each row against the query, each pair (and each window of a long passage) in a run of its own. The score of
 * a passage over the window is the best of its windows.
 * @throws SLUICE_EMBEDDING_INVALID with `details.row` if a score isn't finite
 */
export async function scoreRows(model: OnnxModel, query: string, rows: TextColumn): Promise<ScoreReply> {
  const started = performance.now();
  const { ids, rowOffsets } = model.tokenizer.encodeRows(rows.bytes, rows.offsets, false);
  const packed = packTexts([query]);
  const queryIds = model.tokenizer.encodeRows(packed.bytes, packed.offsets, false).ids;
  const tokenizeMs = performance.now() - started;
  const reader = new PairReader(model, queryIds);
  const count = rowOffsets.length - 1;
  const scores = new Float32Array(count);
  const coverage = new Uint8Array(count);
  for (let row = 0; row < count; row++) {
    const read = await reader.read(ids.subarray(rowOffsets[row]!, rowOffsets[row + 1]!));
    if (!Number.isFinite(read.score)) throw notFinite(model, row);
    scores[row] = read.score;
    coverage[row] = read.coverage;
  }
  const { tokens, queryTokensCut } = reader;
  const inferenceMs = performance.now() - started - tokenizeMs;
  return { scores, coverage, queryTokensCut, tokens, tokenizeMs, inferenceMs };
}

class PairReader {
  tokens = 0;
  /** Tokens that the query lost so that at least half of the window is the passage's. */
  readonly queryTokensCut: number;
  readonly #query: Uint32Array;
  readonly #room: number;
  readonly #head: (logits: Float32Array) => number;

  constructor(
    readonly model: OnnxModel,
    queryIds: Uint32Array,
  ) {
    const room = model.spec.windowTokens - model.shape.specialTokensPair;
    this.#query = queryIds.subarray(0, Math.floor(room / 2));
    this.queryTokensCut = queryIds.length - this.#query.length;
    this.#room = room - this.#query.length;
    this.#head = relevanceHead(model.shape.dims, model.spec.labels);
  }

  async read(ids: Uint32Array): Promise<{ score: number; coverage: number }> {
    const all = splitOverlapping(ids.length, this.#room);
    const windows = mostPromising(all, ids, this.#query, MOST_WINDOWS);
    let best = Number.NEGATIVE_INFINITY;
    for (const { start, end } of windows) {
      const score = await this.#readWindow(ids.subarray(start, end));
      // Math.max, because NaN must come through.
      best = Math.max(best, score);
    }
    if (all.length === 1) return { score: best, coverage: Coverage.whole };
    const some = windows.length < all.length;
    return { score: best, coverage: some ? Coverage.promisingWindows : Coverage.windowed };
  }

  async #readWindow(ids: Uint32Array): Promise<number> {
    const { input, pair } = this.model;
    const { types } = pair;
    input.clear().append(pair.before, types.before).append(this.#query, types.first);
    input.append(pair.between, types.between).append(ids, types.second).append(pair.after, types.after);
    this.tokens += input.length;
    return this.#head(await this.model.run());
  }
}

function notFinite(model: OnnxModel, row: number): SluiceError {
  return new SluiceError('SLUICE_EMBEDDING_INVALID', `${model.spec.name} gave no finite score to a passage`, {
    details: { row },
  });
}
