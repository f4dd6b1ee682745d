import { BodySums } from '../body-sums.js';
import { DOCUMENT_COLUMNS, documentChecksum } from '../checksums.js';
import type { Connection } from '../schema.js';
import type { BodyRow, RowProblem } from './body-row.js';
import { verifyChunks } from './verify-chunks.js';
import type { StoredSettings } from './verify-settings.js';
import { VectorSums } from './verify-vectors.js';

const REPLACEMENT = '\ufffd';
/** Some older releases took them; nothing can ask for what they are in. */
const CUT =
  'holds half of a surrogate pair, so that it can neither be listed nor asked for: index it again without';

/** One version of a document, with what tells when it is visible. */
interface Version {
  key: number;
  id: string;
  first: number;
  count: number;
  born: number;
  died: number | null;
}

/** Holds the rows of documents and bodies against their checksums and against each other. */
export class DocumentVerifier {
  readonly #settings: StoredSettings;
  readonly #sums: BodySums;
  readonly #vectors: VectorSums;
  readonly #document;
  readonly #body;
  readonly #versions;
  readonly #db: Connection;

  constructor(db: Connection, settings: StoredSettings) {
    this.#db = db;
    this.#settings = settings;
    this.#sums = new BodySums(db);
    this.#vectors = new VectorSums(db, settings.dims);
    this.#document = db
      .prepare<[number], (string | number)[]>(
        `SELECT checksum, ${DOCUMENT_COLUMNS.join(', ')} FROM documents WHERE key = ?`,
      )
      .raw();
    this.#body = db.prepare<[number], BodyRow>(
      `SELECT key, first_label AS first, chunk_count AS count, text_hash AS hash, checksum, born, died
       FROM bodies WHERE key = ?`,
    );
    this.#versions = db.prepare<[number], Version>(
      `SELECT key, id, first_label AS first, chunk_count AS count, born, died
       FROM documents WHERE body = ? ORDER BY key`,
    );
  }

  document(key: number, report: (row: RowProblem) => void): void {
    const [checksum, ...values] = this.#document.get(key)!;
    const place = `documents, row ${key}`;
    const cut = this.#cutColumn(key, values);
    if (cut !== undefined || checksum !== documentChecksum(values)) {
      report({ place, problem: cut === undefined ? 'its checksum does not fit' : `its ${cut} ${CUT}` });
      return;
    }
    try {
      JSON.parse(values[DOCUMENT_COLUMNS.indexOf('metadata')] as string);
    } catch (error) {
      report({ place, problem: `its metadata are no JSON: ${(error as Error).message}` });
    }
  }

  /** Of what cannot be read back as it was given, no checksum fits. */
  #cutColumn(key: number, values: readonly (string | number)[]): string | undefined {
    const suspects = DOCUMENT_COLUMNS.filter((_, i) => String(values[i]).includes(REPLACEMENT));
    return suspects.find((column) => {
      const bytes = this.#db
        .prepare<[number], Buffer>(`SELECT CAST(${column} AS BLOB) FROM documents WHERE key = ?`)
        .pluck()
        .get(key)!;
      // In UTF-8, 0xed is followed by 0xa0 or more only where a surrogate was spelled on its own.
      return bytes.some((byte, at) => byte === 0xed && bytes[at + 1]! >= 0xa0);
    });
  }

  /** @returns chunks and vectors that were looked at */
  body(key: number, report: (row: RowProblem) => void): { chunks: number; vectors: number } {
    const body = this.#body.get(key)!;
    const versions = this.#versions.all(key);
    for (const problem of this.#lifetimeProblems(body, versions))
      report({ place: `bodies, row ${key}`, problem });
    const place = `bodies, row ${key}`;
    attempt('the rows of', place, report, () => {
      const { hash, checksum } = this.#sums.of(key);
      if (checksum !== body.checksum)
        report({ place, problem: 'the checksum of its text and chunks does not fit' });
      if (hash !== body.hash) report({ place, problem: 'the hash of its text does not fit' });
    });
    attempt('chunks of', place, report, () => verifyChunks(this.#db, body, versions.at(-1)?.id, report));
    attempt('vectors of', place, report, () => this.#vectors.verify(body, report));
    return { chunks: body.count, vectors: body.count };
  }

  /** Exactly one version of a body is visible from its first generation to its last. */
  *#lifetimeProblems(body: BodyRow, versions: Version[]): Generator<string> {
    const first = versions[0];
    if (!first) return yield 'no document is its owner';
    const { generation, purgedUntil } = this.#settings;
    const purged = first.born > body.born && first.born <= purgedUntil;
    if (first.born !== body.born && !purged)
      yield `it is from generation ${body.born}, its first document from ${first.born}`;
    for (let i = 1; i < versions.length; i++) {
      const [before, after] = [versions[i - 1]!, versions[i]!];
      if (before.died !== after.born)
        yield `its document ${before.key} ends with generation ${before.died}, the next begins with ${after.born}`;
    }
    const last = versions.at(-1)!;
    if (last.died !== body.died)
      yield `it ends with generation ${body.died}, its last document with ${last.died}`;
    for (const { key, first, count, born, died } of versions) {
      if (first !== body.first || count !== body.count) yield `its document ${key} names other labels`;
      if (born < 1 || born > generation || (died !== null && (died < born || died > generation)))
        yield `its document ${key} lives from generation ${born} to ${died}, the newest is ${generation}`;
    }
  }
}

/** What stops one look at a body does not stop the others. */
function attempt(what: string, place: string, report: (row: RowProblem) => void, run: () => void): void {
  try {
    run();
  } catch (error) {
    report({ place: `${what} ${place}`, problem: `they cannot be read: ${(error as Error).message}` });
  }
}
