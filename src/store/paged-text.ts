/**
 * A text that comes in pieces. Pieces are never copied into one by us: 20 MB would hold the caller's thread for 10 ms, and
 * once more for a garbage collection. JavaScript keeps a string that was put together as its parts, and makes one of them when
 * somebody reads it.
 */
export class PagedText {
  readonly #pages: string[] = [];
  readonly #starts: number[] = [];
  #length = 0;

  add(page: string): void {
    if (page === '') return;
    this.#starts.push(this.#length);
    this.#pages.push(page);
    this.#length += page.length;
  }

  /** As String.prototype.slice, for 0 <= start <= end. */
  slice(start: number, end: number): string {
    let text = '';
    for (let i = this.#pageAt(start); i < this.#pages.length && this.#starts[i]! < end; i++) {
      const at = this.#starts[i]!;
      text += this.#pages[i]!.slice(Math.max(0, start - at), end - at);
    }
    return text;
  }

  whole(): string {
    return joined(this.#pages, 0, this.#pages.length);
  }

  /** The last page that starts at or before a position; 0 without any. */
  #pageAt(position: number): number {
    let [low, high] = [0, this.#pages.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#starts[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }
}

/** In halves, so that nobody who reads it has to go deep. */
function joined(pages: readonly string[], from: number, to: number): string {
  if (to - from <= 1) return pages[from] ?? '';
  const middle = (from + to) >> 1;
  return joined(pages, from, middle) + joined(pages, middle, to);
}
