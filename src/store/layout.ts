import { join } from 'node:path';

/** Where the parts of an index lie inside its folder. */
export interface IndexLayout {
  folder: string;
  /** SQLite: the truth. */
  database: string;
  /** A database under construction; renamed to `database` when it is whole. */
  unfinishedDatabase: string;
  /** tantivy: derived. */
  keywords: string;
  /** Graph snapshots: derived. */
  graph: string;
  /** A file for each generation that readers may be looking at. */
  readers: string;
  /** Metadata columns: derived. */
  filters: string;
  lock: string;
}

/** @param folder absolute path */
export function indexLayout(folder: string): IndexLayout {
  return {
    folder,
    database: join(folder, 'sluice.db'),
    unfinishedDatabase: join(folder, 'sluice.db.unfinished'),
    keywords: join(folder, 'keywords'),
    graph: join(folder, 'graph'),
    readers: join(folder, 'readers'),
    filters: join(folder, 'filters'),
    lock: join(folder, 'writer.lock'),
  };
}

/** What an aborted creation may leave behind: a folder with nothing else counts as empty. */
export const LEFT_BY_CREATION = /^(writer\.lock|sluice\.db\.unfinished(-journal|-wal|-shm)?)$/;

/** What nothing but an index holds beside its database. */
export const MADE_FOR_AN_INDEX = /^(keywords|graph|readers|filters|writer\.lock|sluice\.db[-.].*)$/;
