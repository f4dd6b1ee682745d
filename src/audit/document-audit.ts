import { auditChunks, type ChunkContract, type ChunkRule } from '../chunking/index.js';
import { chunkedSpans } from '../chunking/scope.js';
import { isWhite } from '../chunking/white.js';
import type { ChunkColumns } from '../model/chunk.js';
import type { Document, DocumentFormat, DroppedText } from '../model/document.js';
import { ChunkIds } from '../store/chunk-id.js';
import { isOrphaned } from './orphans.js';

/** A file of which readers dropped more of the text than this fails the audit. */
export const DEFAULT_MAX_DROPPED_SHARE = 0.3;

/** `id`: two chunks share an id. `failed`: the chunker threw. */
export type AuditRule = ChunkRule | 'id' | 'failed';

export interface DocumentViolation {
  rule: AuditRule;
  /** 1-based line of the text where it is. */
  line: number;
  found: string;
}

/** What the audit of one document says; its chunks as sums. */
export interface DocumentAudit {
  id: string;
  format: DocumentFormat;
  /** Characters of the text that are not white space. */
  chars: number;
  /** Of those, in no chunk because they were read into title and metadata. */
  frontMatterChars: number;
  chunks: number;
  tokens: number;
  overLimit: number;
  orphans: number;
  /** 1-based line of the first orphan; 0 if there is none. */
  orphanLine: number;
  dropped: readonly DroppedText[];
  violations: DocumentViolation[];
  /** Violations that are not listed. */
  unlisted: number;
}

/** One broken rule breaks it in every chunk: nobody reads a thousand of them. */
const LISTED_VIOLATIONS = 20;

export function auditDocument(
  document: Document,
  chunks: ChunkColumns,
  contract: ChunkContract,
): DocumentAudit {
  const found = [
    ...auditChunks(document, chunks, contract).map(({ rule, start, found }) => ({ rule, at: start, found })),
    ...sharedIds(document, chunks),
  ];
  const { text } = document;
  const chars = solidChars(text, 0, text.length);
  const chunkedChars = chunkedSpans(document).reduce(
    (sum, { start, end }) => sum + solidChars(text, start, end),
    0,
  );
  const orphans = Array.from(chunks.start.keys()).filter((row) => isOrphaned(document, chunks, row));
  return {
    ...emptyAudit(document),
    chars,
    frontMatterChars: chars - chunkedChars,
    chunks: chunks.start.length,
    tokens: chunks.tokens.reduce((sum, tokens) => sum + tokens, 0),
    overLimit: chunks.overLimit.reduce((sum, flag) => sum + flag, 0),
    orphans: orphans.length,
    orphanLine: orphans.length === 0 ? 0 : chunks.startLine[orphans[0]!]!,
    violations: found
      .slice(0, LISTED_VIOLATIONS)
      .map(({ rule, at, found: what }) => ({ rule, line: lineOf(document.text, at), found: what })),
    unlisted: Math.max(0, found.length - LISTED_VIOLATIONS),
  };
}

/** Of a document on which the chunker threw. */
export function failedAudit(document: Document, error: unknown): DocumentAudit {
  const found = error instanceof Error ? error.message : String(error);
  return { ...emptyAudit(document), violations: [{ rule: 'failed', line: 1, found }] };
}

function emptyAudit({ id, format, dropped = [] }: Document): DocumentAudit {
  return {
    id,
    format,
    chars: 0,
    frontMatterChars: 0,
    chunks: 0,
    tokens: 0,
    overLimit: 0,
    orphans: 0,
    orphanLine: 0,
    dropped,
    violations: [],
    unlisted: 0,
  };
}

function sharedIds({ id, text }: Document, { start, end }: ChunkColumns) {
  const ids = new ChunkIds(id);
  const seen = new Set<string>();
  const shared: { rule: AuditRule; at: number; found: string }[] = [];
  for (let row = 0; row < start.length; row++) {
    const chunkId = ids.next(Buffer.from(text.slice(start[row], end[row]), 'utf8'));
    if (seen.has(chunkId)) shared.push({ rule: 'id', at: start[row]!, found: `${chunkId} a second time` });
    seen.add(chunkId);
  }
  return shared;
}

/** Characters that are not white space. */
function solidChars(text: string, start: number, end: number): number {
  let count = 0;
  for (let i = start; i < end; i++) if (!isWhite(text.charCodeAt(i))) count++;
  return count;
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++;
  return line;
}
