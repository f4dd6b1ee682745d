/** A row-major matrix as arrays of numbers, which is what hnswlib-node takes. */
export function rows(data, dims) {
  return Array.from({ length: data.length / dims }, (_, row) =>
    Array.from(data.subarray(row * dims, (row + 1) * dims)),
  );
}

/** What adapters of graphs call how fast one thread answers. */
export const QUERIES_A_SECOND = 'queries/s a thread';
