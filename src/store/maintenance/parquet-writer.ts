import { crc32 } from 'node:zlib';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import {
  type ExchangeHeader,
  type ExchangeItem,
  type ExchangeRoot,
  type ExchangeSource,
  ExchangeTally,
} from './exchange.js';
import {
  type ChunkRow,
  COLUMN_NAMES,
  META_CHECKSUM_KEY,
  META_KEY,
  PARQUET_SCHEMA,
  rowsOf,
} from './parquet-schema.js';
import { syncFile } from './staged-folder.js';

/** Rows and text of a row group: what is held in memory at once. */
const GROUP_ROWS = 1_024;
const GROUP_UNITS = 32 * 1024 * 1024;

/** Writes row groups as they fill up. Blocks: for worker threads. */
export class ParquetExportWriter {
  readonly #file: string;
  readonly #header: ExchangeHeader;
  readonly #writer: ParquetWriter;
  readonly #roots: ExchangeRoot[] = [];
  readonly #sources: ExchangeSource[] = [];
  readonly #tally = new ExchangeTally();
  #rows: ChunkRow[] = [];
  #units = 0;

  constructor(file: string, header: ExchangeHeader) {
    this.#file = file;
    this.#header = header;
    this.#writer = new ParquetWriter({
      writer: fileWriter(file),
      schema: PARQUET_SCHEMA,
      createdBy: 'sluice',
      kvMetadata: [],
    });
  }

  write(item: ExchangeItem): void {
    this.#tally.add(item);
    if ('root' in item) this.#roots.push(item.root);
    else if ('source' in item) this.#sources.push(item.source);
    else for (const row of rowsOf(item.document)) this.#add(row);
  }

  end(): void {
    this.#flush();
    const value = JSON.stringify({
      ...this.#header,
      roots: this.#roots,
      sources: this.#sources,
      end: this.#tally.end(),
    });
    this.#writer.kvMetadata = [
      { key: META_KEY, value },
      { key: META_CHECKSUM_KEY, value: `${crc32(value)}` },
    ];
    this.#writer.finish();
    syncFile(this.#file);
  }

  close(): void {}

  #add(row: ChunkRow): void {
    this.#rows.push(row);
    this.#tally.addChecksum(row.row_crc32);
    this.#units += (row.document_text?.length ?? 0) + (row.text?.length ?? 0);
    if (this.#rows.length >= GROUP_ROWS || this.#units >= GROUP_UNITS) this.#flush();
  }

  #flush(): void {
    if (this.#rows.length === 0) return;
    const rows = this.#rows;
    const columnData = COLUMN_NAMES.map((name) => ({
      name,
      data: rows.map((row) => row[name]) as never[],
      // Vectors do not repeat: no dictionary is tried.
      ...(name === 'vector' && { encoding: 'PLAIN' as const, statistics: false }),
    }));
    this.#writer.write({ columnData, rowGroupSize: rows.length });
    this.#rows = [];
    this.#units = 0;
  }
}
