import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import {
  checkHeader,
  type ExchangeChunk,
  type ExchangeDocument,
  type ExchangeHeader,
  type ExchangeItem,
  invalidExport,
  noExport,
} from './exchange.js';

const BEGINNING = '{"sluice":';
const READ_BYTES = 4 * 1024 * 1024;
const LINE_END = 10;
/** The longest checksum: `,"crc32":4294967295}` */
const TAIL_BYTES = 20;
const FLOAT_BYTES = 4;

/** Reads what JsonlWriter wrote, a line at a time. Blocks: for worker threads. */
export class JsonlReader {
  readonly header: ExchangeHeader;
  readonly #file: string;
  readonly #lines: Generator<{ line: Buffer; number: number }>;

  /** @throws SLUICE_EXPORT_INVALID, also while reading on, naming the line */
  constructor(file: string) {
    this.#file = file;
    if (!beginsLikeAnExport(file)) throw noExport(file);
    this.#lines = linesOf(file);
    const first = this.#lines.next();
    const header = first.done ? undefined : this.#parse(first.value).sluice;
    this.header = checkHeader(file, header as ExchangeHeader | undefined);
  }

  *items(): Generator<ExchangeItem & { place: string }> {
    let [documents, chunks] = [0, 0];
    let last = 1;
    for (const { line, number } of this.#lines) {
      const place = `line ${number}`;
      const object = this.#parse({ line, number });
      last = number;
      if (object.end !== undefined) {
        this.#checkEnd(object.end as Counts, { documents, chunks }, place);
        if (!this.#lines.next().done) throw invalidExport(this.#file, place, 'something follows the end');
        return;
      }
      if (object.document !== undefined) {
        const document = this.#document(object.document as StoredDocument, place);
        documents++;
        chunks += document.chunks.length;
        yield { document, place };
      } else if (object.root !== undefined || object.source !== undefined) {
        yield { ...(object as ExchangeItem), place };
      } else throw invalidExport(this.#file, place, 'it is neither a root, a source nor a document');
    }
    throw invalidExport(this.#file, `line ${last}`, 'it is the last, and no end: the file was cut off');
  }

  close(): void {
    this.#lines.return(undefined);
  }

  #checkEnd(said: Counts, found: Counts, place: string): void {
    if (said.documents === found.documents && said.chunks === found.chunks) return;
    const spelled = ({ documents, chunks }: Counts) => `${documents} documents with ${chunks} chunks`;
    throw invalidExport(this.#file, place, `it says ${spelled(said)}, the file holds ${spelled(found)}`);
  }

  #document(stored: StoredDocument, place: string): ExchangeDocument {
    if (!Array.isArray(stored.chunks)) throw invalidExport(this.#file, place, 'the document has no chunks');
    return {
      ...stored,
      chunks: stored.chunks.map((chunk) => ({ ...chunk, vector: toVector(chunk.vector) })),
    };
  }

  #parse({ line, number }: { line: Buffer; number: number }): Record<string, unknown> {
    const place = `line ${number}`;
    const at = line.lastIndexOf(',"crc32":');
    const sum =
      at < 0 || line.length - at > TAIL_BYTES ? undefined : line.toString('latin1', at + 9, line.length - 1);
    if (sum === undefined || Number(sum) !== crc32(line.subarray(0, at)))
      throw invalidExport(this.#file, place, 'its checksum does not fit');
    try {
      return JSON.parse(line.toString('utf8'));
    } catch (error) {
      throw invalidExport(this.#file, place, (error as Error).message);
    }
  }
}

interface Counts {
  documents: number;
  chunks: number;
}

type StoredDocument = Omit<ExchangeDocument, 'chunks'> & {
  chunks: (Omit<ExchangeChunk, 'vector'> & { vector: string | number[] })[];
};

function toVector(stored: string | number[] | undefined): Float32Array {
  if (Array.isArray(stored)) return Float32Array.from(stored);
  const bytes = Buffer.from(String(stored), 'base64');
  return new Float32Array(
    new Uint8Array(bytes.subarray(0, bytes.length - (bytes.length % FLOAT_BYTES))).buffer,
  );
}

/** A look at a few bytes: another file may be one line without an end. */
function beginsLikeAnExport(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(BEGINNING.length);
    return readSync(descriptor, bytes) > 0 && bytes.toString('latin1') === BEGINNING;
  } finally {
    closeSync(descriptor);
  }
}

function* linesOf(file: string): Generator<{ line: Buffer; number: number }> {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(READ_BYTES);
    let parts: Buffer[] = [];
    let number = 1;
    for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer)) {
      let from = 0;
      for (let at = buffer.indexOf(LINE_END); at >= 0 && at < read; at = buffer.indexOf(LINE_END, from)) {
        yield { line: Buffer.concat([...parts, buffer.subarray(from, at)]), number: number++ };
        parts = [];
        from = at + 1;
      }
      parts.push(Buffer.from(buffer.subarray(from, read)));
    }
    const rest = Buffer.concat(parts);
    if (rest.length > 0) yield { line: rest, number };
  } finally {
    closeSync(descriptor);
  }
}
