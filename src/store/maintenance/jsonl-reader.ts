import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import {
  type ExchangeDocument,
  type ExchangeHeader,
  type ExchangeItem,
  ExchangeTally,
  invalidExport,
  noExport,
} from './exchange.js';
import {
  ChunkChecker,
  checkDocument,
  checkEnd,
  checkRoot,
  checkSource,
  type VectorReader,
  vectorsAsBase64,
  vectorsAsLists,
} from './exchange-check.js';
import { checkField, LIST, WrongField } from './exchange-fields.js';
import { checkHeader } from './exchange-header.js';

const BEGINNING = '{"sluice":';
const READ_BYTES = 4 * 1024 * 1024;
const LINE_END = 10;
/** The longest checksum: `,"crc32":4294967295}` */
const TAIL_BYTES = 20;

/** Reads what JsonlWriter wrote, a line at a time. Blocks: for worker threads. */
export class JsonlReader {
  readonly header: ExchangeHeader;
  readonly #file: string;
  readonly #lines: Generator<{ line: Buffer; number: number }>;
  readonly #readVector: VectorReader;
  readonly #tally = new ExchangeTally();

  /** @throws SLUICE_EXPORT_INVALID, also while reading on, naming line and field */
  constructor(file: string) {
    this.#file = file;
    if (!beginsLikeAnExport(file)) throw noExport(file);
    this.#lines = linesOf(file);
    try {
      const { value } = this.#lines.next();
      const { object, sum } = this.#parse(value!);
      this.#tally.addChecksum(sum);
      this.header = checkHeader(file, object.sluice, this.headerPlace);
    } catch (error) {
      this.close();
      throw error;
    }
    const { vectors, passport } = this.header;
    this.#readVector = (vectors === 'arrays' ? vectorsAsLists : vectorsAsBase64)(passport.embedder.dims);
  }

  get headerPlace(): string {
    return 'line 1';
  }

  *items(): Generator<ExchangeItem & { place: string }> {
    let last = 1;
    for (const { line, number } of this.#lines) {
      const place = `line ${number}`;
      const { object, sum } = this.#parse({ line, number });
      last = number;
      if (object.end !== undefined) {
        this.#end(object.end, place);
        return;
      }
      const item = this.#checked(place, () => this.#item(object));
      this.#tally.add(item);
      this.#tally.addChecksum(sum);
      yield { ...item, place };
    }
    throw invalidExport(this.#file, `line ${last}`, 'it is the last, and no end: the file was cut off');
  }

  close(): void {
    this.#lines.return(undefined);
  }

  #end(said: unknown, place: string): void {
    const problem = this.#tally.problemWith(this.#checked(place, () => checkEnd(said, 'end')));
    if (problem !== undefined) throw invalidExport(this.#file, place, problem);
    if (!this.#lines.next().done) throw invalidExport(this.#file, place, 'something follows the end');
  }

  /** @throws WrongField */
  #item({ root, source, document }: Record<string, unknown>): ExchangeItem {
    if (document !== undefined) return { document: this.#document(document) };
    if (source !== undefined) return { source: checkSource(source, 'source') };
    return { root: checkRoot(root, 'root') };
  }

  #document(stored: unknown): ExchangeDocument {
    const document = checkDocument(stored, 'document');
    const { chunks } = stored as { chunks?: unknown };
    checkField(chunks, 'document.chunks', LIST);
    const checker = new ChunkChecker(document, this.#readVector);
    return {
      ...document,
      chunks: (chunks as unknown[]).map((chunk, i) => checker.next(chunk, `document.chunks[${i}]`)),
    };
  }

  #checked<T>(place: string, check: () => T): T {
    try {
      return check();
    } catch (error) {
      if (error instanceof WrongField) throw invalidExport(this.#file, place, error.message, error.field);
      throw error;
    }
  }

  #parse({ line, number }: { line: Buffer; number: number }): {
    object: Record<string, unknown>;
    sum: number;
  } {
    const place = `line ${number}`;
    const at = line.lastIndexOf(',"crc32":');
    const said =
      at < 0 || line.length - at > TAIL_BYTES ? undefined : line.toString('latin1', at + 9, line.length - 1);
    const sum = at < 0 ? 0 : crc32(line.subarray(0, at));
    if (said === undefined || Number(said) !== sum)
      throw invalidExport(this.#file, place, 'its checksum does not fit');
    try {
      return { object: JSON.parse(line.toString('utf8')), sum };
    } catch (error) {
      throw invalidExport(this.#file, place, (error as Error).message);
    }
  }
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
