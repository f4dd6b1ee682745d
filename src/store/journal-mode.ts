import Database from 'better-sqlite3';
import { APPLICATION_ID, type Connection, enterWal, openForReading } from './schema.js';

/**
 * In WAL mode readers and a writer do not wait for each other; but a database in WAL mode cannot be opened where
 * nothing may be written, unless its -wal and -shm files are there. So an index at rest is in DELETE mode, and whoever
 * works on it for longer takes it into WAL mode and, if nobody else is at work, back again. A connection that has read
 * in WAL mode keeps it there: SQLite ends it for the last one only.
 */

/** Who waits longer is kept out by a read in DELETE mode, under an account that may not write. */
const KEEP_WAIT_MS = 2_000;

/**
 * After the last connection was closed: puts everything into the one file and ends WAL mode. While other connections
 * are open nothing happens; theirs will be the last one.
 */
export function settleDatabase(file: string): void {
  const db = new Database(file, { fileMustExist: true, timeout: 0 });
  try {
    // Syncs the folder once the journal is deleted: it would come back with a power cut.
    db.pragma('synchronous = EXTRA');
    db.pragma('journal_mode = DELETE');
  } catch {
    // In use, or no room: it stays in WAL mode, which is as durable.
  } finally {
    db.close();
  }
}

/**
 * Runs what reads a database for long, in WAL mode: a transaction that only reads would keep writers out in DELETE
 * mode. Where nothing may be written it runs in the mode that there is.
 */
export async function readingLong<T>(file: string, read: () => T | Promise<T>): Promise<T> {
  const keeper = keepWal(file);
  try {
    return await read();
  } finally {
    keeper?.close();
    if (keeper) settle(file);
  }
}

/** A connection that keeps WAL mode while it is open. Undefined where it cannot be had. */
function keepWal(file: string): Connection | undefined {
  let db: Connection | undefined;
  try {
    db = new Database(file, { fileMustExist: true, timeout: KEEP_WAIT_MS });
    // An empty file would become a database, and one of something else is not ours to change.
    if (db.pragma('application_id', { simple: true }) === APPLICATION_ID) {
      db.pragma('synchronous = FULL');
      enterWal(db);
      return db;
    }
  } catch {
    // No right to write, no room, or a database so damaged that the read itself will say so.
  }
  db?.close();
  return undefined;
}

function settle(file: string): void {
  try {
    settleDatabase(file);
  } catch {
    // The file is gone: it was replaced, or removed.
  }
}

/** Opens a database at the newest commit, and stays there until it is closed. For use inside `readingLong`. */
export function openAtCommit(file: string): Connection {
  const db = openForReading(file);
  try {
    db.exec('BEGIN');
    // The first read decides which commit it is.
    db.prepare('SELECT count(*) FROM settings').get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
