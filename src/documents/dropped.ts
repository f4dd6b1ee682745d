import type { DroppedText } from '../model/document.js';

/** Counts what a reader leaves out. */
export class DroppedCount {
  readonly #chars = new Map<string, { chars: number; isText: boolean }>();

  add(reason: string, text: string, isText: boolean): void {
    this.addChars(reason, solidLength(text), isText);
  }

  addChars(reason: string, chars: number, isText: boolean): void {
    if (chars === 0) return;
    this.#chars.set(reason, { chars: (this.#chars.get(reason)?.chars ?? 0) + chars, isText });
  }

  /** For a ParsedText: nothing where nothing was dropped. */
  build(): { dropped?: readonly DroppedText[] } {
    if (this.#chars.size === 0) return {};
    return { dropped: [...this.#chars].map(([reason, count]) => ({ reason, ...count })) };
  }
}

/** Characters that are not white space. */
export function solidLength(text: string): number {
  let count = 0;
  for (const run of text.split(/\s+/)) count += run.length;
  return count;
}
