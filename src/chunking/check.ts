/** Holds the chunks of a caller's chunker to the contract that Sluice's own are tested for. */

import { isUtf8 } from 'node:buffer';
import { SluiceError } from '../errors.js';
import type { ChunkColumns } from '../model/chunk.js';
import type { Document } from '../model/document.js';
import { textCount } from '../model/text-column.js';
import { auditCoverage } from './audit.js';
import { placeTroubles } from './chunk-places.js';

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
    const trouble = placeTroubles(document, columns, row)[0]?.found ?? columnTrouble(columns, row);
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
  if (
    !fits ||
    textCount(columns.embeddingText) !== rows ||
    offsets.at(-1) !== bytes.length ||
    offsets[0] !== 0
  )
    throw broken(document, 'column embeddingText is not a text column of one text a chunk');
  if (!isUtf8(bytes)) throw broken(document, 'column embeddingText is not UTF-8');
}

/** What only a caller's chunks can break: those of Sluice's own come out of one writer. */
function columnTrouble(columns: ChunkColumns, row: number): string | undefined {
  const { offsets, bytes } = columns.embeddingText;
  const [from, to] = [offsets[row]!, offsets[row + 1]!];
  if (from >= to) return 'has an embedding text without anything in it';
  if (isContinuation(bytes[from]) || isContinuation(bytes[to]))
    return 'has an embedding text that is cut inside a character';
  if (columns.overLimit[row]! > 1) return `has ${columns.overLimit[row]} in overLimit, and must have 0 or 1`;
  if (columns.tokens[row]! < 1 || columns.tokens[row]! > bytes.length)
    return `has ${columns.tokens[row]} tokens, more or fewer than its text can have`;
  return undefined;
}

/** Whether a byte goes on a character of UTF-8. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
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
