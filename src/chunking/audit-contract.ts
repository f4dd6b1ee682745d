/** What every chunk must keep, checked one by one: the slow twin of all that the strategies promise. */

import type { ChunkColumns } from '../model/chunk.js';
import type { Document } from '../model/document.js';
import { textAt, textCount } from '../model/text-column.js';
import type { Tokenizer } from '../model/tokenizer.js';
import { auditCoverage } from './audit.js';
import { clusterAt } from './audit-graphemes.js';
import { placeTroubles } from './chunk-places.js';
import { isWhite } from './white.js';

/** Rules of a chunk, by the name that reports count them under. */
export const CHUNK_RULES = {
  lost: 'every character that is not white space lies in some chunk; front matter is read into metadata',
  range: 'spans lie in the text and do not go back; so do parents, lines and pages',
  empty: 'a chunk holds text',
  surrogate: 'no cut falls into a surrogate pair',
  grapheme: 'no cut falls into a character as readers see it, unless that character alone is over the limit',
  slice: 'what models read ends with the very slice of the text',
  tokens: 'the token count is that of what models read',
  limit: 'a chunk over its limit is flagged, and no other',
} as const;

export type ChunkRule = keyof typeof CHUNK_RULES;

export interface ChunkViolation {
  readonly rule: ChunkRule;
  /** UTF-16 positions in the document's text. */
  readonly start: number;
  readonly end: number;
  /** What was found instead. */
  readonly found: string;
}

export interface ChunkContract {
  /** Most tokens of a chunk, in tokens of `tokenizer`. */
  readonly limitTokens: number;
  readonly tokenizer: Tokenizer;
}

const encoder = new TextEncoder();

/** All breaches of the rules by one document's chunks. Counts every token again, so it takes about as long as cutting. */
export function auditChunks(
  document: Document,
  chunks: ChunkColumns,
  contract: ChunkContract,
): ChunkViolation[] {
  const violations: ChunkViolation[] = auditCoverage(document, chunks).uncovered.map((span) => ({
    rule: 'lost',
    ...span,
    found: 'text that no chunk holds',
  }));
  const rows = chunks.start.length;
  if (textCount(chunks.embeddingText) !== rows) {
    const found = `${rows} chunks, but ${textCount(chunks.embeddingText)} texts for models`;
    return [...violations, { rule: 'slice', start: 0, end: document.text.length, found }];
  }
  const counts = contract.tokenizer.countAll(chunks.embeddingText);
  for (let row = 0; row < rows; row++) {
    const [start, end] = [chunks.start[row]!, chunks.end[row]!];
    const note = (rule: ChunkRule, found: string | undefined) => {
      if (found !== undefined) violations.push({ rule, start, end, found });
    };
    for (const { rule, found } of placeTroubles(document, chunks, row)) note(rule, found);
    if (end > document.text.length || start > end) continue;
    for (const at of [start, end]) note('grapheme', clusterTrouble(document, chunks, row, at, contract));
    note('slice', sliceTrouble(document.text, chunks, row));
    note('tokens', tokenTrouble(chunks.tokens[row]!, counts[row]!));
    note('limit', limitTrouble(counts[row]!, chunks.overLimit[row] === 1, contract.limitTokens));
  }
  return violations;
}

function clusterTrouble(
  { text }: Document,
  chunks: ChunkColumns,
  row: number,
  at: number,
  { limitTokens, tokenizer }: ChunkContract,
): string | undefined {
  const cluster = clusterAt(text, at);
  // White space joins the marks behind it into one character; it never belongs to the edge of a chunk.
  if (cluster === undefined || isWhite(text.charCodeAt(at - 1)) || isWhite(text.charCodeAt(at)))
    return undefined;
  const whole = text.slice(cluster.start, cluster.end);
  // The first part was cut off under the neighbour's lead.
  for (const near of [row - 1, row, row + 1]) {
    if (near < 0 || near >= chunks.start.length) continue;
    if (tokenizer.count(leadOf(chunks, near) + whole) > limitTokens) return undefined;
  }
  return `a cut at ${at} in ${JSON.stringify(whole.slice(0, 40))}`;
}

/** What stands before the slice; '' where the slice is not there. */
function leadOf({ start, end, embeddingText }: ChunkColumns, row: number): string {
  const read = textAt(embeddingText, row);
  return read.slice(0, Math.max(0, read.length - (end[row]! - start[row]!)));
}

function sliceTrouble(text: string, chunks: ChunkColumns, row: number): string | undefined {
  const { bytes, offsets } = chunks.embeddingText;
  const slice = encoder.encode(text.slice(chunks.start[row], chunks.end[row]));
  const to = offsets[row + 1]!;
  const from = to - slice.length;
  const read = Buffer.from(bytes.buffer, bytes.byteOffset + Math.max(from, 0), Math.max(to - from, 0));
  if (from >= offsets[row]! && read.equals(slice)) return undefined;
  return JSON.stringify(textAt(chunks.embeddingText, row).slice(-60));
}

function tokenTrouble(said: number, counted: number): string | undefined {
  return said === counted ? undefined : `${said} said, ${counted} counted`;
}

function limitTrouble(tokens: number, flagged: boolean, limitTokens: number): string | undefined {
  if (tokens > limitTokens === flagged) return undefined;
  return `${tokens} tokens, ${flagged ? 'flagged as over' : 'not flagged as over'} the limit of ${limitTokens}`;
}
