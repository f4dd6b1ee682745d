import type { CutChunk, CutDocument } from '../audit/index.js';
import { placeInSource } from '../model/place.js';
import { counted, print, printable } from './output.js';

const CYAN = '\u001b[36m';
const BOLD = '\u001b[1m';
const DIM = '\u001b[2m';
const RESET = '\u001b[0m';

/** Shows documents chunk by chunk. */
export class CutPrinter {
  /** Shown so far. */
  documents = 0;
  readonly #colour: boolean;

  constructor(colour: boolean) {
    this.#colour = colour;
  }

  print({ id, title, format, chunks }: CutDocument, limitTokens: number): void {
    if (this.documents++ > 0) print();
    print(
      this.#styled(
        BOLD,
        `${printable(id)}: ${printable(title)} (${format}, ${counted(chunks.length, 'chunk')})`,
      ),
    );
    let parents = 0;
    let last: CutChunk['parent'];
    for (const [row, chunk] of chunks.entries()) {
      const { parent } = chunk;
      if (parent && (parent.start !== last?.start || parent.end !== last.end)) {
        const size = counted(parent.end - parent.start, 'character');
        print(this.#styled(BOLD, `=== parent ${++parents}, ${size}`));
        last = parent;
      }
      this.#printChunk(chunk, row + 1, limitTokens);
    }
  }

  #printChunk(chunk: CutChunk, number: number, limitTokens: number): void {
    const { tokens, kind, overLimit, headingPath, prefix, text, overlap } = chunk;
    const size = `${tokens} of ${limitTokens} tokens${overLimit ? ', over the limit' : ''}`;
    print(this.#styled(BOLD, `--- ${number}  ${placeOf(chunk)}, ${size}, ${kind}`));
    if (headingPath !== '') print(this.#styled(DIM, `    in ${printable(headingPath)}`));
    if (prefix !== '') print(this.#styled(DIM, `    prefix ${printable(prefix.trimEnd())}`));
    print(this.#shared(visible(text.slice(0, overlap))) + visible(text.slice(overlap)));
  }

  #shared(text: string): string {
    if (text === '') return '';
    return this.#colour ? `${CYAN}${text}${RESET}` : `⟦${text}⟧`;
  }

  #styled(style: string, text: string): string {
    return this.#colour ? `${style}${text}${RESET}` : text;
  }
}

function placeOf(chunk: CutChunk): string {
  const lines = placeInSource({ ...chunk, page: 0 });
  const place = `${lines.includes('-') ? 'lines' : 'line'} ${lines}`;
  return chunk.page > 0 ? `${placeInSource(chunk)}, ${place}` : place;
}

/** A text as it stands, but for signs that would steer the terminal. */
function visible(text: string): string {
  return text.replace(/[^\n\t\r]+/g, printable).replace(/\r\n?/g, '\n');
}
