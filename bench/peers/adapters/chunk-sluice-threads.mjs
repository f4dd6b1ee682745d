/** The same work in Piscina workers: texts go there as messages, columns come back as transferred buffers. */
import { Piscina } from 'piscina';
import { addon } from '../../../dist/native/addon.js';
import { columnFigures, warmUp, warmUpTexts } from '../chunk-figures.mjs';

const BATCH_CHARS = 1 << 18;

function batches(texts) {
  const list = [];
  let chars = BATCH_CHARS;
  for (const text of texts) {
    if (chars >= BATCH_CHARS) {
      list.push([]);
      chars = 0;
    }
    list.at(-1).push(text);
    chars += text.length;
  }
  return list;
}

export async function openThreads({ texts, megabytes }, settings, threads) {
  // Loaded once before any worker loads it.
  addon();
  const pool = new Piscina({
    filename: new URL('./chunk-sluice-worker.mjs', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
  });
  const work = batches(texts);
  const cutAll = (list) => Promise.all(list.map((batch) => pool.run({ texts: batch, settings })));
  let columns = [];
  return {
    // Every thread compiles for itself.
    warmUp: () => warmUp(() => cutAll(Array.from({ length: threads * 2 }, () => warmUpTexts(texts)))),
    async run() {
      columns = (await cutAll(work)).flat();
      return { units: megabytes };
    },
    quality: () => columnFigures(texts, columns),
    close: () => pool.destroy(),
  };
}
