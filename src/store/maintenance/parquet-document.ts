import type { ExchangeDocument } from './exchange.js';
import { ChunkChecker, checkDocument, parsedJson, type VectorReader } from './exchange-check.js';
import { COUNT, checkField, TEXT, WrongField } from './exchange-fields.js';
import type { ChunkRow } from './parquet-schema.js';

/** Columns of a document, which are the same in each of its rows. */
const REPEATED = ['source', 'title', 'format', 'metadata', 'content_hash', 'chunk_count'] as const;
/** What a field is called in a row. */
const COLUMN_OF: Readonly<Record<string, keyof ChunkRow>> = {
  contentHash: 'content_hash',
  startLine: 'start_line',
  endLine: 'end_line',
  parentStart: 'parent_start',
  parentEnd: 'parent_end',
  headingPath: 'heading_path',
  overLimit: 'over_limit',
  embeddingHash: 'embedding_hash',
  keywordsOnly: 'keywords_only',
};

/** A document while its rows are read. */
export class OpenDocument {
  readonly document: ExchangeDocument;
  readonly #first: ChunkRow;
  readonly #checker: ChunkChecker;

  /** @throws WrongField naming the column */
  constructor(first: ChunkRow, readVector: VectorReader) {
    this.#first = first;
    checkField(first.chunk_count, 'chunk_count', COUNT);
    checkField(first.metadata, 'metadata', TEXT);
    const given = {
      id: first.document_id,
      source: first.source,
      title: first.title,
      format: first.format,
      metadata: parsedJson(first.metadata, 'metadata'),
      contentHash: first.content_hash,
      text: first.document_text,
    };
    const named: Readonly<Record<string, keyof ChunkRow>> = { id: 'document_id', text: 'document_text' };
    this.document = { ...inColumns(() => checkDocument(given, ''), named), chunks: [] };
    this.#checker = new ChunkChecker(this.document, readVector);
  }

  /** Whether a row goes on where the rows before it ended. */
  isNext(row: ChunkRow): boolean {
    return row.document_id === this.document.id && (row.chunk_index ?? 0) === this.document.chunks.length;
  }

  get isWhole(): boolean {
    return this.document.chunks.length === this.#first.chunk_count;
  }

  /** @throws WrongField naming the column */
  add(row: ChunkRow): void {
    for (const column of REPEATED) {
      if (row[column] !== this.#first[column])
        throw new WrongField(column, "is not what stands in the document's first row");
    }
    if (row.chunk_index === null) {
      if (row.chunk_count !== 0) throw new WrongField('chunk_index', 'is missing in a document with chunks');
      return;
    }
    if (row.chunk_index >= row.chunk_count)
      throw new WrongField('chunk_count', `is ${row.chunk_count}, and chunk ${row.chunk_index} stands here`);
    const chunk = inColumns(() => this.#checker.next(chunkOf(row), ''), { id: 'chunk_id' });
    if (row.text !== this.document.text.slice(chunk.start, chunk.end))
      throw new WrongField('text', "is not the document's text from start to end");
    this.document.chunks.push(chunk);
  }
}

function chunkOf(row: ChunkRow): Record<string, unknown> {
  return {
    id: row.chunk_id,
    start: row.start,
    end: row.end,
    startLine: row.start_line,
    endLine: row.end_line,
    page: row.page,
    parentStart: row.parent_start,
    parentEnd: row.parent_end,
    tokens: row.tokens,
    kind: row.kind,
    headingPath: row.heading_path,
    overLimit: row.over_limit,
    embeddingHash: row.embedding_hash,
    keywords: row.keywords,
    keywordsOnly: row.keywords_only,
    vector: row.vector,
  };
}

/** Says the column where the check says the field. */
function inColumns<T>(check: () => T, named: Readonly<Record<string, keyof ChunkRow>>): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof WrongField)) throw error;
    const column = named[error.field] ?? COLUMN_OF[error.field] ?? error.field;
    throw new WrongField(column, error.message.slice(error.field.length + 1));
  }
}
