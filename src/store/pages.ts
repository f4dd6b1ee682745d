import type { Connection } from './schema.js';
import { damagedRow } from './trouble.js';

/** Most UTF-16 units of a page. Part of the format: readers look for pages this far back. */
export const PAGE_UNITS = 32_768;

/** Cuts a text into pages; a surrogate pair is never cut. */
export function* pagesOf(text: string): Generator<{ start: number; text: string }> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + PAGE_UNITS, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    yield { start, text: text.slice(start, end) };
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

const KEPT_PAGES = 4;

/** Reads spans of document texts. Keeps the last few pages, because hits of one document lie close together. */
export class PageReader {
  readonly #starts;
  readonly #page;
  readonly #kept = new Map<string, string>();

  constructor(db: Connection) {
    this.#starts = db
      .prepare<[number, number, number], number>(
        'SELECT start FROM document_pages WHERE body = ? AND start > ? AND start < ? ORDER BY start',
      )
      .pluck();
    this.#page = db
      .prepare<[number, number], string>('SELECT text FROM document_pages WHERE body = ? AND start = ?')
      .pluck();
  }

  /** @throws SLUICE_INDEX_CORRUPT where pages are missing or too short */
  slice(body: number, start: number, end: number): string {
    let text = '';
    const starts = this.#starts.all(body, start - PAGE_UNITS, end);
    for (const at of starts) text += this.#read(body, at).slice(Math.max(0, start - at), end - at);
    if (text.length !== end - start)
      throw damagedRow(`document_pages, body ${body}`, `the text from ${start} to ${end} is not there`);
    return text;
  }

  #read(body: number, start: number): string {
    const key = `${body}/${start}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const text = this.#page.get(body, start)!;
    if (this.#kept.size >= KEPT_PAGES) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(key, text);
    return text;
  }
}
