import { basename, dirname, relative, sep } from 'node:path';
import type { Root, SourcePage, SourceState } from '../model/store.js';
import type { Connection } from './schema.js';
import { storedJson } from './trouble.js';

interface SourceRow {
  source: string;
  size: number;
  mtimeMs: number;
  status: SourceState['status'];
  error: string | null;
}

export interface DocumentOwner {
  source: string;
  /** The commit that brought the document in. */
  generation: number;
}

const COLUMNS = 'source, size, mtime AS mtimeMs, status, error';

function toState(row: SourceRow): SourceState {
  return { ...row, error: row.error === null ? null : storedJson(row.error, `sources, '${row.source}'`) };
}

/** States of source files. Failed ones come from a connection of any kind; the rest belongs to the writer. */
export function failedSources(db: Connection): SourceState[] {
  return db
    .prepare<[], SourceRow>(`SELECT ${COLUMNS} FROM sources WHERE status <> 'done' ORDER BY source`)
    .all()
    .map(toState);
}

/** Sources, roots, and what belongs to whom: what the pipeline asks to find out what is new. */
export class SourceTable {
  readonly #db: Connection;
  readonly #statements;

  constructor(db: Connection) {
    this.#db = db;
    this.#statements = prepareStatements(db);
  }

  write(states: readonly SourceState[]): void {
    for (const { source, size, mtimeMs, status, error } of states) {
      this.#statements.write.run(
        source,
        size,
        mtimeMs,
        status,
        error === null ? null : JSON.stringify(error),
      );
    }
  }

  forget(source: string): void {
    this.#statements.forget.run(source);
  }

  /** A source whose last document is gone leaves no state behind. */
  forgetIfEmpty(source: string): void {
    if (this.#statements.anyDocument.get(source) === undefined) this.forget(source);
  }

  states(sources: readonly string[]): Map<string, SourceState> {
    const states = new Map<string, SourceState>();
    for (const source of sources) {
      const row = this.#statements.state.get(source);
      if (row) states.set(source, toState(row));
    }
    return states;
  }

  /** Literal prefix: strings sort by their bytes, so all that start with it stand together. */
  under(prefix: string, { after = '', limit = Number.POSITIVE_INFINITY }: SourcePage = {}): string[] {
    const found: string[] = [];
    const rows = after > '' ? this.#statements.after.iterate(after) : this.#statements.from.iterate(prefix);
    for (const source of rows) {
      if (found.length >= limit || !source.startsWith(prefix)) break;
      found.push(source);
    }
    return found;
  }

  documentsOf(source: string): string[] {
    return this.#statements.documentsOf.all(source);
  }

  unchanged(documents: readonly { id: string; contentHash: string }[]): boolean[] {
    return documents.map(({ id, contentHash }) => this.#statements.hash.get(id) === contentHash);
  }

  owners(ids: readonly string[]): Map<string, DocumentOwner> {
    const owners = new Map<string, DocumentOwner>();
    for (const id of ids) {
      const owner = this.#statements.owner.get(id);
      if (owner) owners.set(id, owner);
    }
    return owners;
  }

  rootName(path: string): string {
    return this.#db.transaction(() => this.knownName(path) ?? this.#addRoot(path)).immediate();
  }

  /**
   * The name of a path below the innermost root that covers it. That is the root that was registered first: a path that
   * a root covers never becomes one itself.
   */
  knownName(path: string): string | undefined {
    for (let at = path; ; at = dirname(at)) {
      const name = this.#statements.rootName.get(at);
      if (name !== undefined) return at === path ? name : `${name}/${posix(relative(at, path))}`;
      if (dirname(at) === at) return undefined;
    }
  }

  /** Roots below a path, the path itself left out. */
  rootsInside(path: string): Root[] {
    const prefix = path.endsWith(sep) ? path : path + sep;
    const found: Root[] = [];
    for (const root of this.#statements.rootsFrom.iterate(prefix)) {
      if (!root.path.startsWith(prefix)) break;
      found.push(root);
    }
    return found;
  }

  #addRoot(path: string): string {
    const base = basename(path) || 'root';
    let name = base;
    for (let n = 2; this.#statements.rootTaken.get(name) !== undefined; n++) name = `${base}-${n}`;
    this.#statements.addRoot.run(name, path);
    return name;
  }
}

function posix(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

function prepareStatements(db: Connection) {
  const text = (sql: string) => db.prepare<[string], string>(sql).pluck();
  return {
    write: db.prepare(
      `INSERT INTO sources VALUES (?, ?, ?, ?, ?) ON CONFLICT(source) DO UPDATE
       SET size = excluded.size, mtime = excluded.mtime, status = excluded.status, error = excluded.error`,
    ),
    forget: db.prepare('DELETE FROM sources WHERE source = ?'),
    state: db.prepare<[string], SourceRow>(`SELECT ${COLUMNS} FROM sources WHERE source = ?`),
    from: text('SELECT source FROM sources WHERE source >= ? ORDER BY source'),
    after: text('SELECT source FROM sources WHERE source > ? ORDER BY source'),
    anyDocument: text('SELECT id FROM documents WHERE source = ? AND died IS NULL LIMIT 1'),
    documentsOf: text('SELECT id FROM documents WHERE source = ? AND died IS NULL ORDER BY id'),
    hash: text('SELECT content_hash FROM documents WHERE id = ? AND died IS NULL'),
    owner: db.prepare<[string], DocumentOwner>(
      'SELECT source, born AS generation FROM documents WHERE id = ? AND died IS NULL',
    ),
    rootName: text('SELECT name FROM roots WHERE path = ?'),
    rootsFrom: db.prepare<[string], Root>('SELECT name, path FROM roots WHERE path >= ? ORDER BY path'),
    rootTaken: text('SELECT name FROM roots WHERE name = ?'),
    addRoot: db.prepare('INSERT INTO roots VALUES (?, ?)'),
  };
}
