import { join } from 'node:path';
import type { Metadata } from '../../src/model/document.js';
import { Committer } from '../../src/store/commit.js';
import { evaluateFilter } from '../../src/store/filter/evaluate.js';
import { parseFilter } from '../../src/store/filter/parse.js';
import { type Connection, createDatabase, openForWriting } from '../../src/store/schema.js';
import { Selector } from '../../src/store/selection.js';
import { SourceTable } from '../../src/store/sources.js';
import { batch, DIMS, document, newFolder, passport } from './support.js';

/** A database alone, without worker threads: document i has one chunk, with label i + 1, and is called `doc i`. */
export class FilterBench {
  readonly db: Connection;
  readonly #metadata: Metadata[];

  constructor(metadata: Metadata[]) {
    this.#metadata = JSON.parse(JSON.stringify(metadata));
    const file = join(newFolder(), 'sluice.db');
    createDatabase(file, passport(), 'bench');
    this.db = openForWriting(file);
    const committer = new Committer(this.db, DIMS, new SourceTable(this.db));
    const documents = metadata.map((fields, i) => document(`doc ${i}`, ['text'], { metadata: fields }));
    committer.apply(batch(documents));
  }

  /** Numbers of the documents that the SQL lets through. */
  bySql(filter: unknown): number[] {
    const { bits, count } = new Selector(this.db).select(parseFilter(filter), 1, this.#metadata.length);
    const found = this.#metadata.flatMap((_, i) => ((bits[(i + 1) >> 3]! >> ((i + 1) & 7)) & 1 ? [i] : []));
    if (found.length !== count) throw new Error(`count ${count}, but ${found.length} bits`);
    return found;
  }

  /** The same by the twin. */
  byTwin(filter: unknown): number[] {
    const parsed = parseFilter(filter);
    return this.#metadata.flatMap((metadata, i) => {
      const id = `doc ${i}`;
      return evaluateFilter(parsed, { id, source: id, title: id, format: 'text', metadata }) ? [i] : [];
    });
  }
}
