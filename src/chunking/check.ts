/** Holds the chunks of a caller's chunker to the contract that Sluice's own are tested for. */

import { SluiceError } from '../errors.js';
import type { ChunkColumns } from '../model/chunk.js';
import { BLOCK_KIND_NAMES, type Document } from '../model/document.js';
import { textCount } from '../model/text-column.js';
import { auditCoverage } from './audit.js';
import { splitsPair } from './graphemes.js';
import { trimEnd } from './white.js';

const NUMBER_COLUMNS = [
  'start',
  'end',
  'tokens',
  'startLine',
  'endLine',
  'page',
  'parentStart',
  'parentEnd',
] as const satisfies readonly (keyof ChunkColumns)[];

/** How much of lost text an error shows. */
const EXCERPT_CHARS = 60;

/**
 * Checks all but what only the chunker can know (its token counts, what its embedding texts say).
 * @param chunks whatever came back
 * @throws SLUICE_MODULE_INVALID saying which chunk breaks which rule
 */
export function checkCallerChunks(document: Document, chunks: unknown): asserts chunks is ChunkColumns {
  if (typeof chunks !== 'object' || chunks === null) throw broken(document, 'gave no chunk columns');
  const columns = chunks as ChunkColumns;
  checkShape(document, columns);
  for (let row = 0; row < columns.start.length; row++) {
    const trouble = rowTrouble(document, columns, row);
    if (trouble !== undefined) throw broken(document, `chunk ${row} ${trouble}`);
  }
  const lost = auditCoverage(document, columns).uncovered[0];
  if (lost === undefined) return;
  const excerpt = document.text.slice(lost.start, Math.min(lost.end, lost.start + EXCERPT_CHARS));
  throw broken(document, `no chunk holds ${JSON.stringify(excerpt)} at ${lost.start} to ${lost.end}`);
}

function checkShape(document: Document, columns: ChunkColumns): void {
  const rows = columns.start instanceof Uint32Array ? columns.start.length : -1;
  const wrong = NUMBER_COLUMNS.find(
    (name) => !(columns[name] instanceof Uint32Array && columns[name].length === rows),
  );
  if (wrong !== undefined)
    throw broken(document, `column ${wrong} is not a Uint32Array of one number a chunk`);
  for (const name of ['kind', 'overLimit'] as const) {
    if (columns[name] instanceof Uint8Array && columns[name].length === rows) continue;
    throw broken(document, `column ${name} is not a Uint8Array of one number a chunk`);
  }
  const paths: unknown = columns.headingPath;
  if (!Array.isArray(paths) || paths.length !== rows || !paths.every((path) => typeof path === 'string')) {
    throw broken(document, 'column headingPath is not a list of one string a chunk');
  }
  const { bytes, offsets } = columns.embeddingText ?? {};
  const fits = bytes instanceof Uint8Array && offsets instanceof Uint32Array;
  if (!fits || textCount(columns.embeddingText) !== rows || offsets.at(-1) !== bytes.length) {
    throw broken(document, 'column embeddingText is not a text column of one text a chunk');
  }
}

function rowTrouble({ text }: Document, columns: ChunkColumns, row: number): string | undefined {
  const [start, end] = [columns.start[row]!, columns.end[row]!];
  const span = `[${start}, ${end})`;
  if (end > text.length) return `${span} ends behind the text, which is ${text.length} long`;
  if (trimEnd(text, start, end) <= start) return `${span} holds no text`;
  if (row > 0 && start <= columns.start[row - 1]!) return `${span} does not begin behind the one before`;
  if (splitsPair(text, start) || splitsPair(text, end)) return `${span} cuts a surrogate pair`;
  if (columns.parentStart[row]! > start || columns.parentEnd[row]! < end)
    return `${span} lies outside of its parent`;
  if (columns.parentEnd[row]! > text.length) return 'has a parent that ends behind the text';
  if (columns.kind[row]! >= BLOCK_KIND_NAMES.length)
    return `has the kind ${columns.kind[row]}, which there is not`;
  return undefined;
}

function broken(document: Document, what: string): SluiceError {
  return new SluiceError(
    'SLUICE_MODULE_INVALID',
    `the chunker breaks its contract on ${document.id}: ${what}`,
    {
      hint: 'docs/chunking.md says what must hold',
      details: { document: document.id },
    },
  );
}
