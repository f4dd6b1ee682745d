import type { Tensor } from 'onnxruntime-node';
import { SluiceError } from '../errors.js';
import { onnxRuntime } from './runtime.js';

interface InputMetadata {
  name: string;
  type: string;
}

/** Meaning of the inputs that a text model may have. */
const FILLS: Record<string, 'ids' | 'mask' | 'types' | 'positions'> = {
  input_ids: 'ids',
  attention_mask: 'mask',
  token_type_ids: 'types',
  position_ids: 'positions',
};

/**
 * The input tensors of one sequence, built over buffers that live as long as the model: a run is synchronous inside
 * ONNX Runtime, so nobody reads them once it has resolved.
 */
export class TokenInput {
  #length = 0;
  readonly #capacity: number;
  readonly #columns: Array<{ name: string; fill: string; data: WideInts }> = [];
  readonly #ids: Uint32Array;
  readonly #types: Uint8Array;

  /** @throws SLUICE_MODEL_INVALID naming an input that Sluice doesn't know */
  constructor(inputs: InputMetadata[], capacity: number) {
    this.#capacity = capacity;
    this.#ids = new Uint32Array(capacity);
    this.#types = new Uint8Array(capacity);
    for (const { name, type } of inputs) {
      const fill = FILLS[name];
      if (!fill || (type !== 'int64' && type !== 'int32')) {
        throw new SluiceError('SLUICE_MODEL_INVALID', `the model has an input ${name} of type ${type}`, {
          hint: `known are ${Object.keys(FILLS).join(', ')}, as int64 or int32`,
        });
      }
      this.#columns.push({ name, fill, data: new WideInts(type, capacity) });
    }
  }

  get length(): number {
    return this.#length;
  }

  clear(): this {
    this.#length = 0;
    return this;
  }

  /** Appends ids with one token type, or one for each. */
  append(ids: Uint32Array, types: number | Uint8Array = 0): this {
    const end = this.#length + ids.length;
    if (end > this.#capacity) {
      throw new SluiceError('SLUICE_INTERNAL', `a sequence of ${end} tokens is over ${this.#capacity}`);
    }
    this.#ids.set(ids, this.#length);
    if (typeof types === 'number') this.#types.fill(types, this.#length, end);
    else this.#types.set(types, this.#length);
    this.#length = end;
    return this;
  }

  /** Tensors of shape [1, length]. Valid until the next `clear`. */
  feeds(): Record<string, Tensor> {
    const feeds: Record<string, Tensor> = {};
    for (const { name, fill, data } of this.#columns) {
      for (let i = 0; i < this.#length; i++) {
        data.set(
          i,
          fill === 'ids' ? this.#ids[i]! : fill === 'mask' ? 1 : fill === 'types' ? this.#types[i]! : i,
        );
      }
      feeds[name] = data.tensor(this.#length);
    }
    return feeds;
  }
}

/** Non-negative integers below 2^32 as int64 or int32, written without making a BigInt for each. */
class WideInts {
  readonly #type: 'int64' | 'int32';
  readonly #words: Uint32Array;

  constructor(type: 'int64' | 'int32', capacity: number) {
    this.#type = type;
    this.#words = new Uint32Array(type === 'int64' ? capacity * 2 : capacity);
  }

  set(index: number, value: number): void {
    // Node runs on little-endian machines only: the low word comes first, the high one stays 0.
    this.#words[this.#type === 'int64' ? index * 2 : index] = value;
  }

  tensor(length: number): Tensor {
    const { Tensor: Make } = onnxRuntime();
    const { buffer } = this.#words;
    return this.#type === 'int64'
      ? new Make('int64', new BigInt64Array(buffer, 0, length), [1, length])
      : new Make('int32', new Int32Array(buffer, 0, length), [1, length]);
  }
}
