import { createHash } from 'node:crypto';
import type { Ledger } from '../indexing/ledger.js';
import type { DocumentFormat } from '../model/document.js';
import { type AuditBatch, SIZE_STEPS } from './audit-task.js';
import { DistinctHashes } from './distinct-hashes.js';
import type { AuditRule, DocumentAudit } from './document-audit.js';
import { DroppedSums } from './dropped-sums.js';

/** Of violations one by one; the rest is counted. */
const LISTED = 1_000;
const LISTED_ORPHANS = 10;
const LISTED_REPEATS = 10;

export interface ListedViolation {
  /** Document id. */
  document: string;
  rule: AuditRule;
  /** 1-based line of the document's text. */
  line: number;
  found: string;
}

/** Where a chunk stands: the line is that of the file, where the reader knows it. */
export interface ChunkPlace {
  document: string;
  line: number;
}

export interface RepeatedText extends ChunkPlace {
  /** Chunks with this text; the place is that of the last one. */
  chunks: number;
}

export interface FormatCounts {
  documents: number;
  chunks: number;
  /** Characters that are not white space. */
  chars: number;
}

/** Sums over everything that was audited. Its size does not depend on the corpus. */
export class Findings {
  readonly counts = {
    documents: 0,
    chunks: 0,
    tokens: 0,
    /** Characters that are not white space, and those of them that are in no chunk because they are front matter. */
    chars: 0,
    frontMatterChars: 0,
    overLimit: 0,
    orphans: 0,
    violations: 0,
    damagedFiles: 0,
  };
  readonly byFormat = new Map<DocumentFormat, FormatCounts>();
  readonly byRule = new Map<AuditRule, number>();
  readonly violations: ListedViolation[] = [];
  readonly orphans: ChunkPlace[] = [];
  readonly dropped: DroppedSums;
  readonly texts = new DistinctHashes();
  readonly sizes = new Float64Array(SIZE_STEPS);
  limitTokens = 0;
  smallestTokens = Number.POSITIVE_INFINITY;
  largestTokens = 0;
  readonly #ids = new DistinctHashes();
  readonly #ledger: Ledger;
  readonly #repeats = new Map<bigint, RepeatedText>();

  constructor(maxDroppedShare: number, ledger: Ledger) {
    this.dropped = new DroppedSums(maxDroppedShare);
    this.#ledger = ledger;
  }

  addDocument(document: DocumentAudit): void {
    const { counts } = this;
    if (this.#ids.add(hashOf(document.id)) > 1) this.#refuse(document.id);
    counts.documents++;
    for (const name of ['chunks', 'tokens', 'chars', 'frontMatterChars', 'overLimit', 'orphans'] as const) {
      counts[name] += document[name];
    }
    const format = this.byFormat.get(document.format) ?? { documents: 0, chunks: 0, chars: 0 };
    this.byFormat.set(document.format, {
      documents: format.documents + 1,
      chunks: format.chunks + document.chunks,
      chars: format.chars + document.chars,
    });
    if (document.orphans > 0 && this.orphans.length < LISTED_ORPHANS) {
      this.orphans.push({ document: document.id, line: document.orphanLine });
    }
    if (this.dropped.add(document)) counts.damagedFiles++;
    this.#addViolations(document);
  }

  addSizes({ sizes, limitTokens, smallestTokens, largestTokens }: AuditBatch): void {
    // What was left out says nothing of sizes.
    if (limitTokens > 0) this.limitTokens = limitTokens;
    if (largestTokens === 0) return;
    sizes.forEach((chunks, step) => {
      this.sizes[step]! += chunks;
    });
    this.smallestTokens = Math.min(this.smallestTokens, smallestTokens);
    this.largestTokens = Math.max(this.largestTokens, largestTokens);
  }

  /** Rows [from, to) of a portion, all of one document. */
  addTexts(document: string, { textHashes, startLines }: AuditBatch, from: number, to: number): void {
    for (let row = from; row < to; row++) {
      const hash = textHashes[row]!;
      const chunks = this.texts.add(hash);
      if (chunks > 1) this.#noteRepeat(hash, { document, line: startLines[row]!, chunks });
    }
  }

  /** The most repeated texts, those that come most often first. */
  repeats(): RepeatedText[] {
    return [...this.#repeats.values()].sort((a, b) => b.chunks - a.chunks);
  }

  #noteRepeat(hash: bigint, repeat: RepeatedText): void {
    if (this.#repeats.size < LISTED_REPEATS || this.#repeats.has(hash)) {
      this.#repeats.set(hash, repeat);
      return;
    }
    const [fewest, { chunks }] = [...this.#repeats].reduce((a, b) => (b[1].chunks < a[1].chunks ? b : a));
    if (chunks >= repeat.chunks) return;
    this.#repeats.delete(fewest);
    this.#repeats.set(hash, repeat);
  }

  #addViolations({ id, violations, unlisted }: DocumentAudit): void {
    this.counts.violations += violations.length + unlisted;
    for (const { rule, line, found } of violations) {
      this.byRule.set(rule, (this.byRule.get(rule) ?? 0) + 1);
      if (this.violations.length < LISTED) this.violations.push({ document: id, rule, line, found });
    }
  }

  /** As indexing does, which takes the first one only. */
  #refuse(id: string): void {
    this.#ledger.skip({
      source: id,
      error: {
        code: 'SLUICE_DUPLICATE_ID',
        message: `document id "${id}" comes a second time; give one of them another id`,
        details: { id },
      },
    });
  }
}

function hashOf(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigUInt64LE(0);
}
