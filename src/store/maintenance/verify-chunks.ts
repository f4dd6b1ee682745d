import { BLOCK_KIND_NAMES } from '../../model/document.js';
import { EMBEDDING_HASH_BYTES } from '../../model/document-record.js';
import { ChunkIds } from '../chunk-id.js';
import { KeywordTexts } from '../keyword-texts.js';
import type { Connection } from '../schema.js';
import type { BodyRow, RowProblem } from './body-row.js';

interface ChunkRow {
  label: number;
  body: number;
  chunkId: string;
  start: number;
  end: number;
  startLine: number;
  endLine: number;
  page: number;
  parentStart: number;
  parentEnd: number;
  kind: number;
  hash: Buffer | null;
}

/** Holds the chunks of a body against its text, its labels and its keyword texts. */
export function verifyChunks(
  db: Connection,
  body: BodyRow,
  documentId: string | undefined,
  report: (row: RowProblem) => void,
): void {
  const text = pagesOf(db, body.key, report).join('');
  const rows = db
    .prepare<[number, number], ChunkRow>(
      `SELECT label, body, chunk_id AS chunkId, start, "end" AS "end", start_line AS startLine, end_line AS endLine,
         page, parent_start AS parentStart, parent_end AS parentEnd, kind, embedding_hash AS hash
       FROM chunks WHERE label >= ? AND label < ? ORDER BY label`,
    )
    .all(body.first, body.first + body.count);
  const ids = documentId === undefined ? undefined : new ChunkIds(documentId);
  let expected = body.first;
  for (const row of rows) {
    for (; expected < row.label; expected++) report(missing(expected));
    expected = row.label + 1;
    const problem = problemOf(row, text, body) ?? idProblem(row, text, ids);
    if (problem !== undefined) report({ place: `chunks, row ${row.label}`, problem });
  }
  for (; expected < body.first + body.count; expected++) report(missing(expected));
  verifyKeywordTexts(db, body, report);
}

function pagesOf(db: Connection, body: number, report: (row: RowProblem) => void): string[] {
  const pages = db
    .prepare<[number], { start: number; text: string }>(
      'SELECT start, text FROM document_pages WHERE body = ? ORDER BY start',
    )
    .all(body);
  let at = 0;
  for (const { start, text } of pages) {
    if (start !== at)
      report({
        place: `document_pages, body ${body}`,
        problem: `a page starts at ${start} instead of ${at}`,
      });
    at += String(text).length;
  }
  return pages.map(({ text }) => text);
}

function missing(label: number): RowProblem {
  return { place: `chunks, row ${label}`, problem: 'it is missing' };
}

function problemOf(row: ChunkRow, text: string, body: BodyRow): string | undefined {
  if (row.body !== body.key) return `it belongs to body ${row.body} instead of ${body.key}`;
  const whole = [row.start, row.end, row.startLine, row.endLine].every(Number.isSafeInteger);
  if (!whole || row.start < 0 || row.start > row.end || row.end > text.length)
    return `its span ${row.start} to ${row.end} is not in the text, which has ${text.length} units`;
  if (row.startLine > row.endLine) return `it goes from line ${row.startLine} to ${row.endLine}`;
  if (!Number.isSafeInteger(row.page) || row.page < 0) return `there is no page ${row.page}`;
  if (
    !(row.parentStart >= 0 && row.parentStart <= row.start && row.parentEnd >= row.end) ||
    row.parentEnd > text.length
  )
    return `its parent, ${row.parentStart} to ${row.parentEnd}, does not hold it`;
  if (BLOCK_KIND_NAMES[row.kind] === undefined) return `there is no kind ${row.kind}`;
  if (row.hash !== null && row.hash?.length !== EMBEDDING_HASH_BYTES) return 'its embedding hash is cut';
  return undefined;
}

function idProblem(
  { chunkId, start, end }: ChunkRow,
  text: string,
  ids: ChunkIds | undefined,
): string | undefined {
  const expected = ids?.next(Buffer.from(text.slice(start, end), 'utf8'));
  return expected === undefined || chunkId === expected
    ? undefined
    : `its id is ${chunkId} instead of ${expected}`;
}

function verifyKeywordTexts(db: Connection, body: BodyRow, report: (row: RowProblem) => void): void {
  const place = `keyword_texts, row ${body.key}`;
  const data = db
    .prepare<[number], Buffer>('SELECT data FROM keyword_texts WHERE body = ?')
    .pluck()
    .get(body.key);
  try {
    if (data === undefined) throw new RangeError('it is missing');
    new KeywordTexts(data, body.count);
  } catch (error) {
    report({ place, problem: (error as Error).message });
  }
}
