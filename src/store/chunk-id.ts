import { createHash } from 'node:crypto';

/** Hex digits of a chunk id: 80 bits, so that two of 10 million chunks meet with a chance of 1 in 10 billion. */
const CHUNK_ID_DIGITS = 20;

/** Gives the chunks of one document their ids, in document order. */
export class ChunkIds {
  readonly #prefix: string;
  readonly #seen = new Map<string, number>();

  constructor(documentId: string) {
    this.#prefix = `${documentId.length}:${documentId}`;
  }

  /** Whether a chunk with this text may have this id, if at most `before` chunks stand before it in its document. */
  static fit(documentId: string, text: Buffer, chunkId: string, before: number): boolean {
    const digest = new ChunkIds(documentId).#digest(text);
    for (let occurrence = 0; occurrence <= before; occurrence++) {
      if (idOf(digest, occurrence) === chunkId) return true;
    }
    return false;
  }

  /** Same document id, same text, same id; the n-th chunk with equal text gets the id of an n-th one. */
  next(text: Buffer): string {
    const digest = this.#digest(text);
    const occurrence = this.#seen.get(digest) ?? 0;
    this.#seen.set(digest, occurrence + 1);
    return idOf(digest, occurrence);
  }

  #digest(text: Buffer): string {
    return createHash('sha256').update(this.#prefix).update(text).digest('hex');
  }
}

function idOf(digest: string, occurrence: number): string {
  const own =
    occurrence === 0 ? digest : createHash('sha256').update(`${digest}#${occurrence}`).digest('hex');
  return own.slice(0, CHUNK_ID_DIGITS);
}
