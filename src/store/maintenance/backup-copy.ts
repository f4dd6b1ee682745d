import { constants, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openAtCommit, readingLong } from '../journal-mode.js';
import { indexLayout } from '../layout.js';
import type { ProgressSender } from './progress.js';

export interface BackupTask {
  /** Of the index, absolute. */
  folder: string;
  /** An empty folder that becomes the copy. */
  target: string;
}

const PAGES_A_STEP = 4_096;
const KEYWORD_TRIES = 20;
/** tantivy names the files of a segment by its id. */
const SEGMENT_ID_DIGITS = 32;
const SEGMENT_FILE = /^[0-9a-f]{32}\./;

/**
 * Copies an index that may be written meanwhile. Derived files come first: what they hold is then in the database that
 * follows, and the writer that opens the copy brings them up to it. A file that a writer removes under the copy is
 * built anew there.
 */
export async function copyIndex({ folder, target }: BackupTask, progress: ProgressSender): Promise<void> {
  const [from, to] = [indexLayout(folder), indexLayout(target)];
  progress.start('keyword index');
  copyKeywords(from.keywords, to.keywords);
  progress.start('graph');
  copyFiles(from.graph, to.graph);
  copyFiles(from.filters, to.filters);
  progress.start('database');
  await readingLong(from.database, () => copyDatabase(from.database, to.database, progress));
}

async function copyDatabase(from: string, to: string, progress: ProgressSender): Promise<void> {
  // Held at one commit over the whole copy: otherwise each commit of a writer would start it again.
  const db = openAtCommit(from);
  try {
    await db.backup(to, {
      progress({ totalPages, remainingPages }) {
        progress.at(totalPages - remainingPages, totalPages);
        return PAGES_A_STEP;
      },
    });
  } finally {
    db.close();
  }
}

/** All files of one commit: its meta file is the same before and after. */
function copyKeywords(from: string, to: string): void {
  const meta = () => readFileSync(join(from, 'meta.json'));
  for (let attempt = 0; attempt < KEYWORD_TRIES; attempt++) {
    rmSync(to, { recursive: true, force: true });
    try {
      const before = meta();
      const segments = before.toString('utf8').replaceAll('-', '');
      // Files of a commit under way are left behind: nothing in the copy would ever remove them.
      copyFiles(
        from,
        to,
        (name) => segments.includes(name.slice(0, SEGMENT_ID_DIGITS)) || !SEGMENT_FILE.test(name),
      );
      if (before.equals(meta())) return;
    } catch {
      // There is none yet, or a file went: the next attempt, or the copy's writer, makes it good.
    }
  }
  rmSync(to, { recursive: true, force: true });
}

function copyFiles(from: string, to: string, wanted = (_name: string) => true): void {
  let names: string[];
  try {
    names = readdirSync(from);
  } catch {
    return;
  }
  mkdirSync(to, { recursive: true });
  for (const name of names.filter((name) => !/\.(lock|unfinished)$/.test(name) && wanted(name))) {
    try {
      copyFileSync(join(from, name), join(to, name), constants.COPYFILE_FICLONE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
