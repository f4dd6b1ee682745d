/**
 * Maps an async stream with up to `limit` calls under way and yields the results in input order. This is the whole
 * back-pressure of the pipeline: a stage that is slow stops the ones before it after `limit` items, so memory does
 * not grow with the corpus. After an error the source is closed and calls under way are awaited before it is thrown.
 */
export async function* boundedMap<T, R>(
  source: AsyncIterable<T> | Iterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const underWay: Promise<R>[] = [];
  try {
    for await (const item of source) {
      const result = work(item);
      // The queue is awaited in order; a later failure must not count as unhandled until its turn comes.
      result.catch(() => {});
      underWay.push(result);
      if (underWay.length >= limit) yield await underWay.shift()!;
    }
    while (underWay.length > 0) yield await underWay.shift()!;
  } finally {
    await Promise.allSettled(underWay);
  }
}

/** The items of lists, one by one. */
export async function* eachOf<T>(lists: AsyncIterable<readonly T[]>): AsyncGenerator<T, void, undefined> {
  for await (const list of lists) yield* list;
}
