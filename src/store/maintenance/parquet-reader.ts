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
  checkHeader,
  type ExchangeChunk,
  type ExchangeDocument,
  type ExchangeHeader,
  type ExchangeItem,
  type ExchangeRoot,
  type ExchangeSource,
  invalidExport,
  noExport,
} from './exchange.js';
import { type ChunkRow, COLUMN_NAMES, META_CHECKSUM_KEY, META_KEY, rowChecksum } from './parquet-schema.js';

/** What every Parquet file begins with. */
const MAGIC = 'PAR1';

interface FileMeta extends ExchangeHeader {
  roots: ExchangeRoot[];
  sources: ExchangeSource[];
}

/** Reads what ParquetExportWriter wrote, a row group at a time. */
export class ParquetReader {
  readonly header: FileMeta;
  readonly #path: string;
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;

  private constructor(path: string, file: AsyncBuffer, metadata: FileMetaData) {
    this.#path = path;
    this.#file = file;
    this.#metadata = metadata;
    this.header = this.#readHeader();
  }

  /** @throws SLUICE_EXPORT_INVALID, also while reading on, naming the row */
  static async open(path: string): Promise<ParquetReader> {
    const file = await asyncBufferFromFile(path);
    const beginning = Buffer.from(await file.slice(0, MAGIC.length)).toString('latin1');
    if (beginning !== MAGIC) throw noExport(path);
    let metadata: FileMetaData;
    try {
      metadata = await parquetMetadataAsync(file);
    } catch (error) {
      throw invalidExport(path, 'the footer', (error as Error).message);
    }
    return new ParquetReader(path, file, metadata);
  }

  async *items(): AsyncGenerator<ExchangeItem & { place: string }> {
    const { roots, sources, documents, chunks } = this.header;
    for (const root of roots) yield { root, place: 'the footer' };
    for (const source of sources) yield { source, place: 'the footer' };
    let found = { documents: 0, chunks: 0 };
    for await (const { document, place } of this.#documents()) {
      found = { documents: found.documents + 1, chunks: found.chunks + document.chunks.length };
      yield { document, place };
    }
    if (found.documents !== documents || found.chunks !== chunks)
      throw invalidExport(
        this.#path,
        'the footer',
        `it says ${documents} documents with ${chunks} chunks, the file holds ${found.documents} with ${found.chunks}`,
      );
  }

  close(): void {}

  #readHeader(): FileMeta {
    const pairs = this.#metadata.key_value_metadata ?? [];
    const valueAt = (key: string) => pairs.find((pair) => pair.key === key)?.value;
    const value = valueAt(META_KEY);
    if (value === undefined) throw noExport(this.#path);
    if (Number(valueAt(META_CHECKSUM_KEY)) !== crc32(value))
      throw invalidExport(this.#path, 'the footer', 'its checksum does not fit');
    return checkHeader(this.#path, JSON.parse(value)) as FileMeta;
  }

  async *#documents(): AsyncGenerator<{ document: ExchangeDocument; place: string }> {
    let document: ExchangeDocument | undefined;
    let wanted = 0;
    for await (const { row, place } of this.#rows()) {
      if (row.document_text !== null) {
        if (document) throw invalidExport(this.#path, place, 'chunks of the document before are missing');
        document = documentOf(row);
        wanted = row.chunk_count;
      }
      if (!document || document.id !== row.document_id || (row.chunk_index ?? 0) !== document.chunks.length)
        throw invalidExport(this.#path, place, 'the rows before it, of the same document, are missing');
      if (row.chunk_index !== null) document.chunks.push(chunkOf(row));
      if (document.chunks.length < wanted) continue;
      yield { document, place };
      document = undefined;
    }
    if (document) throw invalidExport(this.#path, 'the last row', 'chunks of its document are missing');
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
        yield { row, place };
      }
      start = end;
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

function documentOf(row: ChunkRow): ExchangeDocument {
  return {
    id: row.document_id,
    source: row.source,
    title: row.title,
    format: row.format,
    metadata: JSON.parse(row.metadata),
    contentHash: row.content_hash,
    text: row.document_text!,
    chunks: [],
  };
}

/** Columns are checked together, where a record is made of them. */
function chunkOf(row: ChunkRow): ExchangeChunk {
  return {
    id: row.chunk_id!,
    start: row.start!,
    end: row.end!,
    startLine: row.start_line!,
    endLine: row.end_line!,
    tokens: row.tokens!,
    kind: row.kind!,
    headingPath: row.heading_path!,
    overLimit: row.over_limit!,
    embeddingHash: row.embedding_hash,
    keywords: row.keywords!,
    keywordsOnly: row.keywords_only!,
    vector: Float32Array.from(row.vector ?? []),
  };
}
