import { SluiceError } from '../errors.js';
import { vectorTrouble } from '../model/vector-length.js';

/**
 * Copies vectors that came from outside into a matrix, and checks each number on the way.
 * @param vectors one for each row; anything but an array of `dims` finite numbers is refused, and one so long
 *   that distances would overflow
 * @param firstRow row of the caller's column that vectors[0] belongs to; named in errors
 * @param unit brings every vector to length 1, and refuses one that is all zeros
 * @throws SLUICE_EMBEDDING_INVALID with `details.row`
 */
export function copyChecked(
  target: Float32Array,
  vectors: ArrayLike<unknown>,
  shape: { rows: number; dims: number; firstRow: number; unit: boolean; source: string },
): void {
  const { rows, dims, firstRow, source } = shape;
  if (vectors.length !== rows) {
    throw new SluiceError(
      'SLUICE_EMBEDDING_INVALID',
      `${source} returned ${vectors.length} vectors for ${rows} texts`,
      { details: { expected: rows, actual: vectors.length } },
    );
  }
  for (let i = 0; i < rows; i++) {
    const row = firstRow + i;
    const vector = asVector(vectors[i], dims, row, source);
    copyOne(target.subarray(row * dims, (row + 1) * dims), vector, row, shape);
  }
}

function asVector(value: unknown, dims: number, row: number, source: string): ArrayLike<unknown> {
  const isArray = Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
  const actual = isArray ? (value as unknown as ArrayLike<unknown>).length : null;
  if (actual === dims) return value as ArrayLike<unknown>;
  const found = actual === null ? 'no vector' : `${actual} numbers`;
  throw new SluiceError(
    'SLUICE_EMBEDDING_INVALID',
    `${source} returned ${found}, not ${dims}, for text ${row}`,
    {
      details: { row, expected: dims, actual },
    },
  );
}

function copyOne(
  out: Float32Array,
  vector: ArrayLike<unknown>,
  row: number,
  { unit, source }: { unit: boolean; source: string },
): void {
  let squares = 0;
  for (let d = 0; d < out.length; d++) {
    // Math.fround: what overflows float32 must not pass as finite.
    const value = typeof vector[d] === 'number' ? Math.fround(vector[d] as number) : Number.NaN;
    if (!Number.isFinite(value)) {
      throw new SluiceError('SLUICE_EMBEDDING_INVALID', `${source} returned ${vector[d]} for text ${row}`, {
        details: { row, position: d },
      });
    }
    out[d] = value;
    squares += value * value;
  }
  if (!unit) {
    const trouble = vectorTrouble(out);
    if (trouble === undefined) return;
    throw new SluiceError('SLUICE_EMBEDDING_INVALID', `the vector of ${source} for text ${row} ${trouble}`, {
      hint: 'bring vectors to length 1',
      details: { row },
    });
  }
  if (squares === 0) {
    throw new SluiceError('SLUICE_EMBEDDING_INVALID', `${source} returned only zeros for text ${row}`, {
      details: { row },
    });
  }
  const length = Math.sqrt(squares);
  for (let d = 0; d < out.length; d++) out[d]! /= length;
}
