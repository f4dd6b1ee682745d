import { randomUUID } from 'node:crypto';
import { type Connection, readSetting, writeSetting } from './schema.js';

/**
 * Copies of an index share its id and count generations on their own, so neither says whether a derived file is of this
 * database: a backup that was put over the folder, or a copy that went its own way, has files of the same numbers. The
 * database therefore gives every file a mark before the file is put in place. A copy that was made before knows
 * nothing of it; one that was made afterwards has the file's content in its rows.
 */
export type MarkedPart = 'graph' | 'filters' | 'keywords';

/** A generation, and the mark of a file that was written at it. */
type Mark = [generation: number, mark: string];

const SETTINGS = { graph: 'graphMarks', filters: 'filtersMarks', keywords: 'keywordsMarks' } as const;
/** More than a writer gives out while a backup or a refresh is between a file and the database. */
const KEPT = 16;

/** Gives out the mark for a file that is about to be written at `generation`. Durable when it returns. */
export function addMark(db: Connection, part: MarkedPart, generation: number): string {
  const mark = randomUUID();
  const marks = [[generation, mark], ...readMarks(db, part)].slice(0, KEPT);
  writeSetting(db, SETTINGS[part], JSON.stringify(marks));
  return mark;
}

/** Marks that a file of `generation` may bear, newest first. */
export function marksAt(db: Connection, part: MarkedPart, generation: number): string[] {
  return readMarks(db, part).flatMap(([at, mark]) => (at === generation ? [mark] : []));
}

/**
 * What a file of `generation` may say that it is of. Read after the file was found: a writer gives out the mark first.
 * Files of older releases bear no mark: then only their generation speaks against them.
 * @param owner what a file says that it is of, but for the mark
 */
export function ownersAt(db: Connection, part: MarkedPart, owner: string, generation: number): string[] {
  const marks = marksAt(db, part, generation);
  if (marks.length > 0) return marks.map((mark) => markedOwner(owner, mark));
  return generation <= readSetting<number>(db, 'generation')! ? [owner] : [];
}

export function markedOwner(owner: string, mark: string): string {
  return `${owner}/${mark}`;
}

/** Whether a file that bears `mark`, or none, can have been written from this database. */
export function isMarked(
  db: Connection,
  part: MarkedPart,
  generation: number,
  mark: string | undefined,
): boolean {
  if (mark !== undefined) return marksAt(db, part, generation).includes(mark);
  return generation <= readSetting<number>(db, 'generation')!;
}

function readMarks(db: Connection, part: MarkedPart): Mark[] {
  try {
    return JSON.parse(readSetting<string>(db, SETTINGS[part]) ?? '[]') as Mark[];
  } catch {
    // Then every file of this part is a stranger, and is written anew.
    return [];
  }
}
