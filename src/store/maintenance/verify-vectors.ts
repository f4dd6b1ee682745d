import { vectorTrouble } from '../../model/vector-length.js';
import { vectorChecksum } from '../checksums.js';
import type { Connection } from '../schema.js';
import type { BodyRow, RowProblem } from './body-row.js';

const FLOAT32_BYTES = 4;
const FLOAT16_BYTES = 2;
/** The upper seven bits of the exponent of 2^33. */
const SMALL_EXPONENT = 0x50;

/** Holds vectors against their checksums, and against what a vector is. */
export class VectorSums {
  readonly #dims: number;
  readonly #range;

  /** @param dims 0 where it is not known: then lengths are not looked at */
  constructor(db: Connection, dims: number) {
    this.#dims = dims;
    this.#range = db.prepare<[number, number], { label: number; data: Buffer; checksum: number }>(
      'SELECT label, data, checksum FROM vectors WHERE label >= ? AND label < ? ORDER BY label',
    );
  }

  verify({ first, count }: BodyRow, report: (row: RowProblem) => void): void {
    let expected = first;
    for (const { label, data, checksum } of this.#range.iterate(first, first + count)) {
      for (; expected < label; expected++)
        report({ place: `vectors, row ${expected}`, problem: 'it is missing' });
      expected = label + 1;
      const problem = this.#problemOf(data, checksum);
      if (problem !== undefined) report({ place: `vectors, row ${label}`, problem });
    }
    for (; expected < first + count; expected++)
      report({ place: `vectors, row ${expected}`, problem: 'it is missing' });
  }

  #problemOf(data: unknown, checksum: number): string | undefined {
    if (!(data instanceof Uint8Array)) return 'it is no blob';
    if (vectorChecksum(data) !== checksum) return 'its checksum does not fit';
    const width = data.length / this.#dims;
    if (this.#dims > 0 && width !== FLOAT32_BYTES && width !== FLOAT16_BYTES)
      return `it has ${data.length} bytes for ${this.#dims} dimensions`;
    if (width !== FLOAT32_BYTES || isSmall(data)) return undefined;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const row = Float32Array.from({ length: this.#dims }, (_, i) => view.getFloat32(i * FLOAT32_BYTES, true));
    const trouble = vectorTrouble(row);
    return trouble === undefined ? undefined : `it ${trouble}`;
  }
}

/** Whether all values are below 2^33, which their highest bits say: then no vector is too long, and no float is made. */
function isSmall(data: Uint8Array): boolean {
  for (let at = FLOAT32_BYTES - 1; at < data.length; at += FLOAT32_BYTES) {
    if ((data[at]! & 0x7f) >= SMALL_EXPONENT) return false;
  }
  return true;
}
