/** Pieces are joined by the thousand: a big file's hundred thousands, held one by one, cost more to collect than to make. */
const MAX_PIECES = 4096;

/** A text that is put together piece by piece. */
export class TextPieces {
  /** UTF-16 units so far. */
  length = 0;
  #pieces: string[] = [];
  readonly #joined: string[] = [];

  add(text: string): void {
    this.#pieces.push(text);
    this.length += text.length;
    if (this.#pieces.length < MAX_PIECES) return;
    this.#joined.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  toString(): string {
    return this.#joined.join('') + this.#pieces.join('');
  }
}
