import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SluiceError } from '../../errors.js';
import { addon } from '../../native/addon.js';
import type { NativeKeywordCheck } from '../../native/contract.js';
import { isMarked, ownersAt } from '../branch-marks.js';
import { filterFile, filterGenerations, openFilters } from '../filter/files.js';
import { checkGraph, describeGraph, graphGenerations } from '../graph-files.js';
import { openAtCommit } from '../journal-mode.js';
import { parsePayload } from '../keyword-payload.js';
import type { IndexLayout } from '../layout.js';
import { purgedUntil } from '../purge.js';
import { type Connection, openForReading, readSetting, VISIBLE } from '../schema.js';
import { isHeldByOthers } from '../trouble.js';
import { isOfOtherEpoch } from '../vectors-epoch.js';
import type { Findings } from './findings.js';

/** Holds what is derived from the database against it: one function for each kind. */

/** What a verification of derived files goes by. */
export interface DerivedContext {
  layout: IndexLayout;
  dims: number;
  findings: Findings;
}

/** @param name of the file in its folder; none where it is about all of them */
type Report = (problem: string, place?: string, name?: string) => void;

/** @returns files that were looked at */
export async function verifyKeywords({ layout, findings }: DerivedContext): Promise<number> {
  const folder = layout.keywords;
  const report: Report = (problem, place = 'whole file', name = '') =>
    findings.add({ part: 'keywords', file: join(folder, name), place, problem });
  const found = existsSync(folder) ? await addon().checkKeywordIndex(folder) : undefined;
  for (const problem of found?.problems ?? []) report(problem, undefined, fileNamedIn(problem, folder));
  if (found && found.problems.length > 0) return found.files;
  // Opened now, because the database runs ahead of the keyword index, also while somebody writes.
  const db = openAtCommit(layout.database);
  try {
    compare(db, found, report);
  } finally {
    db.close();
  }
  return found?.files ?? 0;
}

/** The addon's sentences name the file, which may also be missing. */
function fileNamedIn(problem: string, folder: string): string | undefined {
  const named = /\b[0-9a-f]{32}(\.\d+)?\.[a-z]+\b|meta\.json/.exec(problem)?.[0];
  return named ?? readdirSync(folder).find((name) => problem.includes(name));
}

function compare(db: Connection, found: NativeKeywordCheck | undefined, report: Report): void {
  const generation = readSetting<number>(db, 'generation') ?? 0;
  const published = readSetting<number>(db, 'publishedGeneration') ?? 0;
  if (!found || found.payload === '') {
    if (published > 0) report(found ? 'it holds no commit' : 'the keyword index is missing');
    return;
  }
  const { payload, labels } = found;
  const held = attempt(
    () => parsePayload(payload),
    (problem) => report(problem, undefined, 'meta.json'),
  );
  if (!held) return;
  if (held.index !== readSetting(db, 'indexId'))
    report('it belongs to another index', undefined, 'meta.json');
  else if (held.generation > generation)
    report(
      `it holds generation ${held.generation}, the database only ${generation}: the last commits are lost`,
      undefined,
      'meta.json',
    );
  else if (!isMarked(db, 'keywords', held.generation, held.mark))
    report('it is of another copy of this index', 'meta.json');
  else if (held.generation >= purgedUntil(db)) compareLabels(db, held, labels, report);
}

/** Both in ascending order: every live chunk is in, and nothing else. */
function compareLabels(
  db: Connection,
  held: { generation: number },
  labels: Uint32Array,
  report: Report,
): void {
  const bodies = db.prepare<{ generation: number }, { first: number; count: number }>(
    `SELECT first_label AS first, chunk_count AS count FROM bodies d WHERE ${VISIBLE} ORDER BY first_label`,
  );
  let at = 0;
  let missing = 0;
  let foreign = 0;
  for (const { first, count } of bodies.iterate(held)) {
    for (; at < labels.length && labels[at]! < first; at++) foreign++;
    const from = at;
    while (at < labels.length && labels[at]! < first + count) at++;
    missing += count - (at - from);
  }
  foreign += labels.length - at;
  if (missing > 0) report(`${missing} live chunks are missing`, `generation ${held.generation}`);
  if (foreign > 0) report(`${foreign} chunks are in that are not live`, `generation ${held.generation}`);
}

/** @returns graphs that were looked at */
export async function verifyGraphs(
  { layout, dims, findings }: DerivedContext,
  identity: string,
): Promise<number> {
  const generations = graphGenerations(layout.graph);
  for (const generation of generations) {
    await attemptAll(
      () => {
        const owners = ownersOf(layout, 'graph', identity, generation);
        return checkGraph(layout.graph, describeGraph(layout.graph, generation, owners, dims));
      },
      (problem, file, owner) => {
        // Built for a re-embedding that is not finished yet, or never was.
        if (waits(layout, owner)) return;
        // A writer may have put a newer one in its place meanwhile.
        if (!graphGenerations(layout.graph).includes(generation)) return;
        findings.add({ part: 'graph', file: file ?? layout.graph, place: 'whole file', problem });
      },
    );
  }
  return generations.length;
}

/** @returns files of metadata columns that were looked at */
export async function verifyFilters({ layout, findings }: DerivedContext, indexId: string): Promise<number> {
  const generations = filterGenerations(layout.filters);
  for (const generation of generations) {
    const file = filterFile(layout.filters, generation);
    await attemptAll(
      () => {
        const owners = ownersOf(layout, 'filters', indexId, generation);
        return openFilters(addon().FilterIndex.create(), layout.filters, generation, owners);
      },
      (problem) => {
        if (!filterGenerations(layout.filters).includes(generation)) return;
        findings.add({ part: 'filters', file, place: 'whole file', problem });
      },
    );
  }
  return generations.length;
}

/** By the database as it is now: a writer may have written the file a moment ago. */
function ownersOf(
  { database }: IndexLayout,
  part: 'graph' | 'filters',
  owner: string,
  generation: number,
): string[] {
  const db = openForReading(database);
  try {
    return ownersAt(db, part, owner, generation);
  } finally {
    db.close();
  }
}

function waits({ database }: IndexLayout, owner: unknown): boolean {
  const db = openForReading(database);
  try {
    return isOfOtherEpoch(db, owner);
  } finally {
    db.close();
  }
}

async function attemptAll(
  run: () => unknown,
  report: (problem: string, file?: string, owner?: unknown) => void,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    attempt(() => {
      throw error;
    }, report);
  }
}

function attempt<T>(
  run: () => T,
  report: (problem: string, file?: string, owner?: unknown) => void,
): T | undefined {
  try {
    return run();
  } catch (error) {
    if (isHeldByOthers(error)) throw error;
    const { path, owner } = SluiceError.is(error) ? error.details : {};
    report((error as Error).message, typeof path === 'string' ? path : undefined, owner);
    return undefined;
  }
}
