/** Where a value stands among ascending numbers: line starts, token starts, ends of blocks. Binary searches. */

/** How many are below `at`: the index of the first that is not. */
export function countBelow(ascending: ArrayLike<number>, at: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many are not above `at`: the index of the first that is. */
export function countUpTo(ascending: ArrayLike<number>, at: number): number {
  // All of them are whole.
  return countBelow(ascending, at + 1);
}
