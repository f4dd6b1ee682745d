import { Parser, type ParserOptions } from 'htmlparser2';
import type { HtmlCollector } from './html-collector.js';

/** Deepest nesting that is kept, the same as in common browsers; the parser's time grows with the square of it. */
const MAX_DEPTH = 512;

/**
 * htmlparser2 with a limit to its stack: elements below the deepest level are treated like `<br>`, so that they open
 * and close at once and their text belongs to the element above. The parser asks whether an element is void when its
 * name has been read and again when its attributes have; both answers must be the same.
 */
export class ShallowParser extends Parser {
  #opening = false;
  #tooDeep = false;
  #closing = false;

  constructor(
    private readonly collector: HtmlCollector,
    options: ParserOptions,
  ) {
    super(collector, options);
  }

  protected override isVoidElement(name: string): boolean {
    // A form within a form has no name here, and is asked about only once.
    if (this.#closing || name === '') return super.isVoidElement(name);
    if (!this.#opening) this.#tooDeep = this.collector.depth >= MAX_DEPTH;
    this.#opening = !this.#opening;
    return this.#tooDeep || super.isVoidElement(name);
  }

  override onclosetag(start: number, endIndex: number): void {
    this.#closing = true;
    super.onclosetag(start, endIndex);
    this.#closing = false;
  }
}
