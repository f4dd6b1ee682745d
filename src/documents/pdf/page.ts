import { fieldItems } from './fields.js';
import type { PdfPage } from './library.js';
import { type Frame, RunCollector } from './runs.js';

/** What a page draws as text. */
export interface PageText {
  /** The frame with most text first. */
  readonly frames: readonly Frame[];
  /** Corners of the page: left, bottom, right, top; in points. */
  readonly view: readonly number[];
  /** True if there was more text than is kept. */
  readonly cut: boolean;
}

/** Most pieces of text kept of a page; a dense page has a few thousand, but forms within forms can double without end. */
const MAX_ITEMS = 250_000;
/** Longest that one page may take; a dense one takes a tenth of a second. */
const PAGE_DEADLINE_MS = 30_000;

/**
 * @param isForm whether the file has fields to be filled in: looking for them doubles the time of a page with many links
 * @throws what the library throws, and Error for a page that takes too long
 */
export async function readPage(
  page: PdfPage,
  isForm: boolean,
  deadlineMs = PAGE_DEADLINE_MS,
): Promise<PageText> {
  const collector = new RunCollector();
  const reader = page.streamTextContent().getReader();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it takes over ${deadlineMs / 1000} s`)), deadlineMs);
  });
  let count = 0;
  let finished = false;
  try {
    while (count < MAX_ITEMS) {
      const { value, done } = await Promise.race([reader.read(), late]);
      finished = done;
      if (done) break;
      for (const item of value.items) {
        // Marks of structure have no text.
        if (item.str !== undefined) collector.add(item, value.styles[item.fontName]);
      }
      count += value.items.length;
    }
    const fields = isForm && finished ? await Promise.race([page.getAnnotations(), late]) : [];
    for (const item of fieldItems(fields)) collector.add(item, undefined);
  } finally {
    clearTimeout(timer);
    late.catch(() => {});
    // Not waited for: a page that hangs does not end its reading either.
    if (!finished) reader.cancel(new Error('enough of this page')).catch(() => {});
  }
  return { frames: collector.end(), view: page.view, cut: !finished };
}
