import type { Connection } from '../schema.js';
import type { RowProblem } from './body-row.js';
import type { Findings } from './findings.js';
import { type KeyGap, walkKeys } from './key-walk.js';
import type { ProgressSender } from './progress.js';
import { DocumentVerifier } from './verify-documents.js';
import { type StoredSettings, verifySettings } from './verify-settings.js';

/** What in the database cannot be trusted. */
export interface DatabaseDamage {
  /** Keys of documents and of bodies. */
  documents: Set<number>;
  bodies: Set<number>;
  gaps: KeyGap[];
  settings: StoredSettings;
  /** Something beyond single rows: an index, a page, a table of counts. */
  structure: boolean;
}

export function noDamage(changes: Partial<DatabaseDamage>): DatabaseDamage {
  const settings = { indexId: '', graphIdentity: '', generation: 0, purgedUntil: 0, dims: 0 };
  return { documents: new Set(), bodies: new Set(), gaps: [], settings, structure: false, ...changes };
}

export interface DatabaseCount {
  documents: number;
  chunks: number;
  vectors: number;
}

/**
 * Looks at every row of the database; goes on after each finding. The caller holds a transaction, so that all of it
 * is of one commit.
 */
export class DatabaseVerifier {
  readonly #db: Connection;
  readonly #file: string;
  readonly #findings: Findings;
  readonly #progress: ProgressSender;
  readonly #owner;
  readonly count: DatabaseCount = { documents: 0, chunks: 0, vectors: 0 };
  readonly damage = noDamage({});

  constructor(db: Connection, file: string, findings: Findings, progress: ProgressSender) {
    this.#db = db;
    this.#file = file;
    this.#findings = findings;
    this.#progress = progress;
    this.#owner = {
      byKey: db.prepare<[number], Owner>('SELECT id, source FROM documents WHERE key = ?'),
      byBody: db.prepare<[number], Owner>(
        'SELECT id, source FROM documents WHERE body = ? ORDER BY key DESC',
      ),
    };
  }

  verify(): void {
    this.#progress.start('pages of the database');
    this.#attempt('the whole file', () => this.#integrity());
    this.#attempt('foreign keys', () => this.#foreignKeys());
    this.#attempt('settings', () => {
      this.damage.settings = verifySettings(this.#db, (place, problem) => this.#structure(place, problem));
    });
    const verifier = new DocumentVerifier(this.#db, this.damage.settings);
    this.#eachRow('documents', (key, report) => {
      verifier.document(key, report);
      this.count.documents++;
    });
    this.#eachRow('bodies', (key, report) => {
      const { chunks, vectors } = verifier.body(key, report);
      this.count.chunks += chunks;
      this.count.vectors += vectors;
    });
    this.#attempt('sources', () => this.#sources());
  }

  #eachRow(
    table: 'documents' | 'bodies',
    check: (key: number, report: (row: RowProblem) => void) => void,
  ): void {
    this.#progress.start(table, this.#rowsOf(table));
    const walk = walkKeys(this.#db, table, 'key', (gap) => this.#gap(gap));
    const bad = this.damage[table];
    for (const key of walk) {
      const report = ({ place, problem }: RowProblem) => {
        bad.add(key);
        const owner = this.#ownerOf(table, key);
        this.#add(owner === undefined ? place : `${place}, document '${owner.id}'`, problem, owner);
      };
      try {
        check(key, report);
      } catch (error) {
        report({ place: `${table}, row ${key}`, problem: `it cannot be read: ${(error as Error).message}` });
      }
      this.#progress.step();
    }
  }

  #rowsOf(table: string): number {
    try {
      return this.#db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
    } catch {
      return 0;
    }
  }

  #ownerOf(table: 'documents' | 'bodies', key: number): Owner | undefined {
    try {
      return table === 'documents' ? this.#owner.byKey.get(key) : this.#owner.byBody.get(key);
    } catch {
      return undefined;
    }
  }

  #gap(gap: KeyGap): void {
    this.damage.gaps.push(gap);
    this.#add(`${gap.table}, rows ${gap.from} to ${gap.to}`, `they cannot be read: ${gap.reason}`);
  }

  /** One table after another: a page that stops SQLite's own check does not hide the tables behind it. */
  #integrity(): void {
    const trees = this.#db
      .prepare<[], { rootpage: number; name: string; type: string }>(
        'SELECT rootpage, name, type FROM sqlite_master',
      )
      .all();
    const names = new Map(trees.map(({ rootpage, name }) => [rootpage, name]));
    for (const { name } of trees.filter(({ type }) => type === 'table')) {
      this.#attempt(`table ${name}`, () => {
        const lines = this.#db.pragma(`integrity_check(${name})`) as { integrity_check: string }[];
        for (const { integrity_check: line } of lines) {
          if (line !== 'ok') this.#structure(treeOf(line, names) ?? `table ${name}`, line);
        }
      });
    }
    const [free] = this.#db.pragma('integrity_check(1)') as { integrity_check: string }[];
    if (free?.integrity_check !== 'ok' && this.#findings.count === 0)
      this.#structure('the file', free?.integrity_check ?? 'the check ended early');
  }

  #foreignKeys(): void {
    const orphans = this.#db.pragma('foreign_key_check') as {
      table: string;
      rowid: number;
      parent: string;
    }[];
    for (const { table, rowid, parent } of orphans)
      this.#structure(`${table}, row ${rowid}`, `the row of ${parent} that it belongs to is missing`);
  }

  #sources(): void {
    const rows = this.#db.prepare<[], Record<string, unknown>>('SELECT * FROM sources').iterate();
    for (const { source, size, mtime, status, error } of rows) {
      const whole = Number.isSafeInteger(size) && Number.isSafeInteger(mtime) && typeof source === 'string';
      const known = ['done', 'failed', 'partial'].includes(status as string);
      if (!whole || !known || !isErrorRecord(error))
        this.#structure(`sources, row '${source}'`, 'it is no state of a file');
    }
  }

  #structure(place: string, problem: string): void {
    this.damage.structure = true;
    this.#add(place, problem);
  }

  #add(place: string, problem: string, owner?: Owner): void {
    const document = owner && { documentId: owner.id, source: owner.source };
    this.#findings.add({ part: 'database', file: this.#file, place, problem, ...document });
  }

  #attempt(place: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#structure(place, `it cannot be read: ${(error as Error).message}`);
    }
  }
}

function treeOf(line: string, names: ReadonlyMap<number, string>): string | undefined {
  const name = names.get(Number(/^Tree (\d+) /.exec(line)?.[1]));
  return name === undefined ? undefined : `table or index ${name}`;
}

interface Owner {
  id: string;
  source: string;
}

function isErrorRecord(error: unknown): boolean {
  if (error === null) return true;
  try {
    return typeof JSON.parse(error as string).code === 'string';
  } catch {
    return false;
  }
}
