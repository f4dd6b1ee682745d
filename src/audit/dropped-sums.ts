import type { DocumentAudit } from './document-audit.js';

const LISTED_FILES = 20;
/** Characters of text that a file may lose whatever their share: a page of a few words has as much of its site around it. */
const FREE_CHARS = 200;

export interface DroppedReason {
  reason: string;
  /** Characters that are not white space. */
  chars: number;
  documents: number;
  /** False for what no reader of the page ever sees as text: scripts, styles, markup. */
  isText: boolean;
}

export interface DroppedFile {
  document: string;
  /** Of its text, from 0 to 1. */
  share: number;
  chars: number;
  /** Over the share that is allowed, and enough of it to matter. */
  fails: boolean;
  /** The reason that took most. */
  reason: string;
}

/** What readers left out: by reason, and the files that lost the largest share of their text. */
export class DroppedSums {
  readonly #maxShare: number;
  readonly #reasons = new Map<string, DroppedReason>();
  #worst: DroppedFile[] = [];
  /** Characters of text that were dropped. */
  textChars = 0;

  constructor(maxShare: number) {
    this.#maxShare = maxShare;
  }

  /** @returns whether the document lost more of its text than is allowed */
  add({ id, chars: kept, dropped }: DocumentAudit): boolean {
    let lost = 0;
    let most = { reason: '', chars: 0 };
    for (const { reason, chars, isText } of dropped) {
      const sum = this.#reasons.get(reason) ?? { reason, chars: 0, documents: 0, isText };
      this.#reasons.set(reason, { ...sum, chars: sum.chars + chars, documents: sum.documents + 1 });
      if (!isText) continue;
      lost += chars;
      if (chars > most.chars) most = { reason, chars };
    }
    if (lost === 0) return false;
    this.textChars += lost;
    const share = lost / (lost + kept);
    const fails = share > this.#maxShare && lost >= FREE_CHARS;
    this.#note({ document: id, share, chars: lost, fails, reason: most.reason });
    return fails;
  }

  /** By reason, what took most first. */
  byReason(): DroppedReason[] {
    return [...this.#reasons.values()].sort((a, b) => b.chars - a.chars);
  }

  /** Those that fail first, then by share. */
  worst(): DroppedFile[] {
    return this.#worst;
  }

  #note(file: DroppedFile): void {
    const last = this.#worst.at(-1);
    if (this.#worst.length === LISTED_FILES && last !== undefined && order(file, last) >= 0) return;
    this.#worst = [...this.#worst, file].sort(order).slice(0, LISTED_FILES);
  }
}

function order(a: DroppedFile, b: DroppedFile): number {
  return Number(b.fails) - Number(a.fails) || b.share - a.share;
}
