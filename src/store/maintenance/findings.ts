/** Parts of an index. The database is the truth; the others are derived from it and can be built again. */
export type IndexPart = 'database' | 'keywords' | 'graph' | 'filters';

/** One thing that is not as it was written. */
export interface Finding {
  part: IndexPart;
  /** The file that is damaged, or the database. */
  file: string;
  /** Where in it: a table and row, a page, or 'whole file'. */
  place: string;
  problem: string;
  /** The document that it belongs to, where that can be told. */
  documentId?: string;
  source?: string;
}

export interface VerifyReport {
  folder: string;
  /** Nothing was found. */
  ok: boolean;
  /** False where the database says nothing at all: then nothing else was looked at. */
  readable: boolean;
  /** Of the database. */
  generation: number;
  findings: Finding[];
  /** Findings over the first MOST_FINDINGS, which are not listed. */
  unlisted: number;
  checked: {
    documents: number;
    chunks: number;
    vectors: number;
    keywordFiles: number;
    graphFiles: number;
    filterFiles: number;
  };
  durationMs: number;
}

export const MOST_FINDINGS = 10_000;

/** Collects findings up to a number that nobody reads beyond. */
export class Findings {
  readonly list: Finding[] = [];
  unlisted = 0;

  add(finding: Finding): void {
    if (this.list.length < MOST_FINDINGS) this.list.push(finding);
    else this.unlisted++;
  }

  get count(): number {
    return this.list.length + this.unlisted;
  }
}
