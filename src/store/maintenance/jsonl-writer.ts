import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import {
  type ExchangeChunk,
  type ExchangeDocument,
  type ExchangeHeader,
  type ExchangeItem,
  ExchangeTally,
  type ExportVectors,
} from './exchange.js';

/**
 * An export as lines of JSON, one object a line, each ending with a checksum of what stands before it in the line:
 *
 *     {"sluice":{header},"crc32":…}
 *     {"root":{…},"crc32":…}             where sources lie
 *     {"source":{…},"crc32":…}           the state of a file
 *     {"document":{…},"crc32":…}         a document with its chunks and vectors
 *     {"end":{"roots":…,"sources":…,"documents":…,"chunks":…,"crc32":…},"crc32":…}
 *
 * The end counts what stands before it, and has a checksum over all checksums.
 */
const BUFFER_BYTES = 1024 * 1024;

/** Blocks: for worker threads. */
export class JsonlWriter {
  readonly #descriptor: number;
  readonly #vectors: ExportVectors;
  #pieces: string[] = [];
  #units = 0;
  #checksum = 0;
  readonly #tally = new ExchangeTally();

  constructor(file: string, header: ExchangeHeader) {
    this.#descriptor = openSync(file, 'w');
    this.#vectors = header.vectors;
    this.#line('sluice', header);
  }

  write(item: ExchangeItem): void {
    this.#tally.add(item);
    if (!('document' in item)) {
      const [[name, value]] = Object.entries(item) as [[string, unknown]];
      this.#line(name, value);
      return;
    }
    this.#document(item.document);
  }

  end(): void {
    this.#line('end', this.#tally.end());
    this.#flush();
    fsyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Chunk by chunk: the line of a long document never is one string. */
  #document({ chunks, ...document }: ExchangeDocument): void {
    this.#append(`{"document":${JSON.stringify(document).slice(0, -1)},"chunks":[`);
    chunks.forEach((chunk, i) => {
      this.#append((i > 0 ? ',' : '') + this.#spelled(chunk));
    });
    this.#append(']}');
    this.#endLine();
  }

  #spelled({ vector, ...chunk }: ExchangeChunk): string {
    if (this.#vectors === 'none') return JSON.stringify(chunk);
    if (this.#vectors === 'arrays') return JSON.stringify({ ...chunk, vector: Array.from(vector) });
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
    return JSON.stringify({ ...chunk, vector: bytes.toString('base64') });
  }

  #line(name: string, value: unknown): void {
    this.#append(`{${JSON.stringify(name)}:${JSON.stringify(value)}`);
    this.#endLine();
  }

  #endLine(): void {
    this.#flush();
    this.#tally.addChecksum(this.#checksum);
    this.#pieces.push(`,"crc32":${this.#checksum}}\n`);
    this.#flush();
    this.#checksum = 0;
  }

  #append(piece: string): void {
    this.#pieces.push(piece);
    this.#units += piece.length;
    if (this.#units >= BUFFER_BYTES) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.from(this.#pieces.join(''), 'utf8');
    this.#checksum = crc32(bytes, this.#checksum);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    this.#pieces = [];
    this.#units = 0;
  }
}
