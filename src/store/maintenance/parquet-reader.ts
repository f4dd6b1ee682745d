import { crc32 } from 'node:zlib';
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
} from 'hyparquet';
import { SluiceError } from '../../errors.js';
import {
  type ExchangeDocument,
  type ExchangeEnd,
  type ExchangeHeader,
  type ExchangeItem,
  ExchangeTally,
  invalidExport,
  noExport,
} from './exchange.js';
import {
  checkEnd,
  checkRoot,
  checkSource,
  parsedJson,
  type VectorReader,
  vectorsAsLists,
} from './exchange-check.js';
import { checkFields, LIST, WrongField } from './exchange-fields.js';
import { checkHeader } from './exchange-header.js';
import { OpenDocument } from './parquet-document.js';
import { type ChunkRow, COLUMN_NAMES, META_CHECKSUM_KEY, META_KEY, rowChecksum } from './parquet-schema.js';

/** What every Parquet file begins with. */
const MAGIC = 'PAR1';

const FOOTER = 'the footer';

interface Meta {
  header: ExchangeHeader;
  /** Roots and sources. */
  listed: ExchangeItem[];
  end: ExchangeEnd;
}

/** Reads what ParquetExportWriter wrote, a row group at a time. */
export class ParquetReader {
  readonly header: ExchangeHeader;
  readonly #path: string;
  readonly #listed: readonly ExchangeItem[];
  readonly #end: ExchangeEnd;
  readonly #readVector: VectorReader;
  readonly #tally = new ExchangeTally();
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;

  private constructor(path: string, file: AsyncBuffer, metadata: FileMetaData) {
    this.#path = path;
    this.#file = file;
    this.#metadata = metadata;
    const { header, listed, end } = this.#readMeta();
    this.header = header;
    this.#listed = listed;
    this.#end = end;
    this.#readVector = vectorsAsLists(header.passport.embedder.dims);
  }

  /** @throws SLUICE_EXPORT_INVALID, also while reading on, naming row and column */
  static async open(path: string): Promise<ParquetReader> {
    const file = await asyncBufferFromFile(path);
    const beginning = Buffer.from(await file.slice(0, MAGIC.length)).toString('latin1');
    if (beginning !== MAGIC) throw noExport(path);
    let metadata: FileMetaData;
    try {
      metadata = await parquetMetadataAsync(file);
    } catch (error) {
      throw invalidExport(path, FOOTER, (error as Error).message);
    }
    return new ParquetReader(path, file, metadata);
  }

  get headerPlace(): string {
    return FOOTER;
  }

  async *items(): AsyncGenerator<ExchangeItem & { place: string }> {
    for (const item of this.#listed) {
      this.#tally.add(item);
      yield { ...item, place: FOOTER };
    }
    for await (const { document, place } of this.#documents()) {
      this.#tally.add({ document });
      yield { document, place };
    }
    const problem = this.#tally.problemWith(this.#end);
    if (problem !== undefined) throw invalidExport(this.#path, FOOTER, problem);
  }

  close(): void {}

  #readMeta(): Meta {
    const pairs = this.#metadata.key_value_metadata ?? [];
    const valueAt = (key: string) => pairs.find((pair) => pair.key === key)?.value;
    const value = valueAt(META_KEY);
    if (value === undefined) throw noExport(this.#path);
    if (Number(valueAt(META_CHECKSUM_KEY)) !== crc32(value))
      throw invalidExport(this.#path, FOOTER, 'its checksum does not fit');
    return this.#checked(FOOTER, (): Meta => {
      const meta = parsedJson(value, META_KEY) as { roots?: unknown; sources?: unknown; end?: unknown };
      const header = checkHeader(this.#path, meta, FOOTER);
      checkFields(meta, META_KEY, { roots: LIST, sources: LIST });
      const roots = (meta.roots as unknown[]).map((root, i) => checkRoot(root, `${META_KEY}.roots[${i}]`));
      const sources = (meta.sources as unknown[]).map((source, i) =>
        checkSource(source, `${META_KEY}.sources[${i}]`),
      );
      const listed = [...roots.map((root) => ({ root })), ...sources.map((source) => ({ source }))];
      return { header, listed, end: checkEnd(meta.end, `${META_KEY}.end`) };
    });
  }

  async *#documents(): AsyncGenerator<{ document: ExchangeDocument; place: string }> {
    let open: OpenDocument | undefined;
    for await (const { row, place } of this.#rows()) {
      if (row.document_text !== null) {
        if (open) throw invalidExport(this.#path, place, 'chunks of the document before are missing');
        open = this.#checked(place, () => new OpenDocument(row, this.#readVector));
      }
      if (!open?.isNext(row))
        throw invalidExport(this.#path, place, 'the rows before it, of the same document, are missing');
      const document = open;
      this.#checked(place, () => document.add(row));
      if (!document.isWhole) continue;
      yield { document: document.document, place };
      open = undefined;
    }
    if (open) throw invalidExport(this.#path, 'the last row', 'chunks of its document are missing');
  }

  async *#rows(): AsyncGenerator<{ row: ChunkRow; place: string }> {
    let start = 0;
    for (const group of this.#metadata.row_groups) {
      const end = start + Number(group.num_rows);
      const rows = await this.#read(start, end);
      for (const [i, row] of rows.entries()) {
        const place = `row ${start + i + 1}`;
        if (row.row_crc32 !== rowChecksum(row))
          throw invalidExport(this.#path, place, 'its checksum does not fit');
        this.#tally.addChecksum(row.row_crc32);
        yield { row, place };
      }
      start = end;
    }
  }

  #checked<T>(place: string, check: () => T): T {
    try {
      return check();
    } catch (error) {
      if (error instanceof WrongField) throw invalidExport(this.#path, place, error.message, error.field);
      throw error;
    }
  }

  async #read(rowStart: number, rowEnd: number): Promise<ChunkRow[]> {
    const place = `rows ${rowStart + 1} to ${rowEnd}`;
    try {
      const given = {
        file: this.#file,
        metadata: this.#metadata,
        columns: [...COLUMN_NAMES],
        rowStart,
        rowEnd,
      };
      const rows = (await parquetReadObjects(given)) as Partial<ChunkRow>[];
      if (rows.length !== rowEnd - rowStart) throw new Error(`only ${rows.length} can be read`);
      return rows.map((row) => withNulls(row));
    } catch (error) {
      if (SluiceError.is(error)) throw error;
      throw invalidExport(this.#path, place, (error as Error).message);
    }
  }
}

function withNulls(row: Partial<ChunkRow>): ChunkRow {
  return Object.fromEntries(COLUMN_NAMES.map((name) => [name, row[name] ?? null])) as unknown as ChunkRow;
}
