import { SluiceError } from '../errors.js';
import { type Line, streamLines } from './lines.js';

/** Query texts by id. */
export type Queries = ReadonlyMap<string, string>;
/** Grades by query id, then document id. */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Reads `queries.jsonl[.gz]`: a line a query, `{"_id": …, "text": …}`; other fields are ignored, blank lines skipped.
 * Throws SLUICE_RECORD_INVALID and SLUICE_DUPLICATE_ID with file and line, and what reading the file throws.
 */
export async function readQueries(path: string): Promise<Map<string, string>> {
  const queries = new Map<string, string>();
  for await (const line of streamLines(path)) {
    if (line.text.trim() === '') continue;
    const { id, text } = parseQuery(path, line);
    if (queries.has(id)) {
      throw new SluiceError(
        'SLUICE_DUPLICATE_ID',
        `${path}:${line.number}: query '${id}' stands here again`,
        {
          details: { path, line: line.number, id },
        },
      );
    }
    queries.set(id, text);
  }
  return queries;
}

/**
 * Reads judgements: BEIR's `query-id<TAB>corpus-id<TAB>score`, with or without its header, or TREC's four columns
 * `query-id 0 document-id grade`. Columns end at tabs, or at any white space where a line has no tab. The same
 * judgement twice is one; two grades for one pair are SLUICE_RECORD_INVALID, as is a line of any other form.
 */
export async function readQrels(path: string): Promise<Map<string, Map<string, number>>> {
  const qrels = new Map<string, Map<string, number>>();
  let first = true;
  for await (const line of streamLines(path)) {
    if (line.text.trim() === '') continue;
    const columns = splitColumns(line.text);
    const header = first && isHeader(columns);
    first = false;
    if (!header) addJudgement(qrels, path, line, columns);
  }
  return qrels;
}

function parseQuery(path: string, line: Line): { id: string; text: string } {
  let record: unknown;
  try {
    record = JSON.parse(line.text);
  } catch (error) {
    throw invalid(path, line, `is not JSON (${(error as Error).message})`, error);
  }
  if (typeof record !== 'object' || record === null) throw invalid(path, line, 'is not an object');
  const { _id: id, text } = record as { _id?: unknown; text?: unknown };
  if (typeof id !== 'string' && typeof id !== 'number') throw invalid(path, line, "has no '_id'");
  if (typeof text !== 'string') throw invalid(path, line, "has no 'text'");
  return { id: String(id), text };
}

function splitColumns(text: string): string[] {
  return text.includes('\t') ? text.split('\t').map((column) => column.trim()) : text.trim().split(/\s+/);
}

/** A header's last column is a word; a judgement's is a number. */
function isHeader(columns: readonly string[]): boolean {
  return columns.length >= 3 && parseGrade(columns.at(-1)!) === undefined && /query|qid/i.test(columns[0]!);
}

function parseGrade(column: string): number | undefined {
  return /^[+-]?\d+(\.\d+)?$/.test(column) ? Number(column) : undefined;
}

function addJudgement(
  qrels: Map<string, Map<string, number>>,
  path: string,
  line: Line,
  columns: readonly string[],
): void {
  if (columns.length !== 3 && columns.length !== 4) {
    throw invalid(path, line, `has ${columns.length} columns instead of 3 (BEIR) or 4 (TREC)`);
  }
  const [query, document, grade] = [columns[0]!, columns.at(-2)!, parseGrade(columns.at(-1)!)];
  if (query === '' || document === '') throw invalid(path, line, 'has an empty id');
  if (grade === undefined) throw invalid(path, line, `has the grade '${columns.at(-1)}', which is no number`);
  const judged = qrels.get(query) ?? new Map<string, number>();
  qrels.set(query, judged);
  const known = judged.get(document);
  if (known !== undefined && known !== grade) {
    throw invalid(
      path,
      line,
      `grades '${document}' ${grade} for query '${query}', where ${known} stood before`,
    );
  }
  judged.set(document, grade);
}

function invalid(path: string, line: Line, what: string, cause?: unknown): SluiceError {
  return new SluiceError('SLUICE_RECORD_INVALID', `${path}:${line.number}: the line ${what}`, {
    cause,
    details: { path, line: line.number },
  });
}
