import { SluiceError } from '../errors.js';
import { packTexts, type TextColumn } from '../model/text-column.js';
import type { OnnxModel } from './onnx-model.js';
import { addScaled, normalize, pool, squaredLength } from './pooling.js';
import type { EmbedReply } from './protocol.js';
import { splitEvenly } from './token-windows.js';

/**
 * Embeds each row in runs of its own, unpadded: its vector never depends on its company. A text over the window is
 * read by windows, pooled by their tokens. An empty text is what the model makes of its special tokens alone.
 * @param prefix what the rows already start with; repeated before every further window
 * @param makeRoom asked between rows: true ends the batch early, with the rows that are done
 * @throws SLUICE_EMBEDDING_INVALID with `details.row` if a vector isn't finite
 */
export async function embedRows(
  model: OnnxModel,
  rows: TextColumn,
  prefix: string,
  makeRoom: () => boolean,
): Promise<EmbedReply> {
  const started = performance.now();
  const { ids, rowOffsets } = model.tokenizer.encodeRows(rows.bytes, rows.offsets, false);
  const reader = new RowReader(model, encodePrefix(model, prefix));
  const tokenizeMs = performance.now() - started;
  const { dims } = model.shape;
  const count = rowOffsets.length - 1;
  const vectors = new Float32Array(count * dims);
  let row = 0;
  for (; row < count && (row === 0 || !makeRoom()); row++) {
    const vector = vectors.subarray(row * dims, (row + 1) * dims);
    await reader.read(ids.subarray(rowOffsets[row]!, rowOffsets[row + 1]!), vector);
    checkVector(vector, row, model);
  }
  const { tokens, pooled } = reader;
  const done = row === count ? vectors : vectors.slice(0, row * dims);
  const inferenceMs = performance.now() - started - tokenizeMs;
  return { rows: row, vectors: done, tokens, pooled, tokenizeMs, inferenceMs };
}

class RowReader {
  tokens = 0;
  pooled = 0;
  readonly #room: number;
  readonly #scratch: Float32Array;

  constructor(
    readonly model: OnnxModel,
    readonly prefix: Uint32Array,
  ) {
    this.#room = model.spec.windowTokens - model.shape.specialTokens;
    this.#scratch = new Float32Array(model.shape.dims);
  }

  async read(ids: Uint32Array, out: Float32Array): Promise<void> {
    if (ids.length <= this.#room) return this.#readWindow(ids, false, out);
    this.pooled++;
    for (const { start, end } of splitEvenly(ids.length, this.#room - this.prefix.length)) {
      await this.#readWindow(ids.subarray(start, end), start > 0, this.#scratch);
      addScaled(out, this.#scratch, (end - start) / ids.length);
    }
    if (this.model.spec.normalized) normalize(out);
  }

  async #readWindow(ids: Uint32Array, withPrefix: boolean, out: Float32Array): Promise<void> {
    const { input, single, spec, shape } = this.model;
    input.clear().append(single.before);
    if (withPrefix) input.append(this.prefix);
    input.append(ids).append(single.after);
    // A tokenizer without special tokens makes nothing of an empty text, and a run needs a token: id 0, the padding.
    if (input.length === 0) input.append(new Uint32Array(1));
    this.tokens += input.length;
    pool(out, await this.model.run(), shape.pooling);
    if (spec.normalized) normalize(out);
  }
}

function encodePrefix(model: OnnxModel, prefix: string): Uint32Array {
  if (prefix === '') return new Uint32Array(0);
  const { bytes, offsets } = packTexts([prefix.trimEnd()]);
  return model.tokenizer.encodeRows(bytes, offsets, false).ids;
}

function checkVector(vector: Float32Array, row: number, model: OnnxModel): void {
  if (Number.isFinite(squaredLength(vector))) return;
  throw new SluiceError('SLUICE_EMBEDDING_INVALID', `${model.spec.name} made NaN or infinity of a text`, {
    details: { row },
  });
}
