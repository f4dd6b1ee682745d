import { vectorChecksum } from '../checksums.js';
import type { Connection } from '../schema.js';
import type { BodyRow, RowProblem } from './body-row.js';

const FLOAT32_BYTES = 4;
const FLOAT16_BYTES = 2;

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
    return width === FLOAT32_BYTES && !isFinite32(data) ? 'it holds NaN or an infinite value' : undefined;
  }
}

/** Only the exponent's bits say so, all ones: no float has to be made of them. */
function isFinite32(data: Uint8Array): boolean {
  for (let at = 2; at < data.length; at += FLOAT32_BYTES) {
    if ((data[at]! & 0x80) === 0x80 && (data[at + 1]! & 0x7f) === 0x7f) return false;
  }
  return true;
}
