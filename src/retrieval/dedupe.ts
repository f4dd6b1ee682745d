import { atOnce, type Steps } from './steps.js';

/** Where a ranked chunk lies: UTF-16 positions in its document. */
export interface Span {
  readonly documentId: string;
  readonly start: number;
  readonly end: number;
}

export interface DedupeOptions {
  /** Chunks wanted. */
  readonly k: number;
  /** Share of the shorter span from which two spans are one passage; Infinity: never. */
  readonly overlapShare: number;
  /** Most chunks of one document; Infinity: no cap. */
  readonly perDocument: number;
}

/** Why a chunk was passed over, and the row of the better chunk that has its place (for the cap: its last one). */
export interface SetAside {
  readonly row: number;
  readonly reason: 'overlap' | 'perDocument';
  readonly because: number;
}

export interface Selection {
  /** Rows that stay, ascending (best first), at most k. Exactly min(k, rows) if all spans were looked at. */
  readonly rows: number[];
  /** Rows passed over, ascending; the ones that came back as fill are in `rows` as well. */
  readonly setAside: SetAside[];
  /** How many of `rows` are there without fill. */
  readonly distinct: number;
}

/** Each is compared with what was kept of its document, so a row of a long one takes a while. */
const ROWS_A_STEP = 32;

/**
 * Picks k of the ranked spans, best first: of overlapping spans of one document the better, and at most `perDocument`
 * of each document. Where that leaves fewer than k, rows that were passed over fill up, those over the cap before the
 * overlapping ones: k chunks come back whenever there are k. Nothing changes its order, and equal text in different
 * documents stays two rows.
 */
export function dedupe(spans: readonly Span[], options: DedupeOptions): Selection {
  return atOnce(dedupeSteps(spans, options));
}

export function* dedupeSteps(spans: readonly Span[], options: DedupeOptions): Steps<Selection> {
  const kept = new Map<string, number[]>();
  const rows: number[] = [];
  const setAside: SetAside[] = [];
  for (let row = 0; row < spans.length && rows.length < options.k; row++) {
    if (row % ROWS_A_STEP === ROWS_A_STEP - 1) yield;
    const span = spans[row]!;
    const siblings = kept.get(span.documentId) ?? [];
    kept.set(span.documentId, siblings);
    const twin = siblings.find((other) => overlaps(spans[other]!, span, options.overlapShare));
    if (twin !== undefined) setAside.push({ row, reason: 'overlap', because: twin });
    else if (siblings.length >= options.perDocument) {
      setAside.push({ row, reason: 'perDocument', because: siblings.at(-1)! });
    } else {
      siblings.push(row);
      rows.push(row);
    }
  }
  const distinct = rows.length;
  const fill = [...byReason(setAside, 'perDocument'), ...byReason(setAside, 'overlap')];
  rows.push(...fill.slice(0, options.k - distinct));
  return { rows: rows.sort((a, b) => a - b), setAside, distinct };
}

function byReason(setAside: readonly SetAside[], reason: SetAside['reason']): number[] {
  return setAside.filter((one) => one.reason === reason).map((one) => one.row);
}

/** Whether two spans of one document share at least this share of the shorter one. Empty spans share nothing. */
function overlaps(a: Span, b: Span, share: number): boolean {
  const common = Math.min(a.end, b.end) - Math.max(a.start, b.start);
  return common > 0 && common >= share * Math.min(a.end - a.start, b.end - b.start);
}
