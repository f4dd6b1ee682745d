import { existsSync } from 'node:fs';
import { openAtCommit, readingLong } from '../journal-mode.js';
import type { IndexLayout } from '../layout.js';
import type { Connection } from '../schema.js';
import { isHeldByOthers } from '../trouble.js';
import { Findings, type VerifyReport } from './findings.js';
import type { ProgressSender } from './progress.js';
import { type DatabaseCount, type DatabaseDamage, DatabaseVerifier, noDamage } from './verify-database.js';
import { type DerivedContext, verifyFilters, verifyGraphs, verifyKeywords } from './verify-derived.js';

interface Verification {
  report: VerifyReport;
  damage: DatabaseDamage;
}

/**
 * Looks at everything in an index, in one state of it: commits that happen meanwhile are not seen.
 * @throws SLUICE_INDEX_LOCKED where another process keeps the database from being read
 * @returns also what a repair has to leave out
 */
export function verifyLayout(layout: IndexLayout, progress: ProgressSender): Promise<Verification> {
  return readingLong(layout.database, () => lookAtAll(layout, progress));
}

async function lookAtAll(layout: IndexLayout, progress: ProgressSender): Promise<Verification> {
  const started = performance.now();
  const findings = new Findings();
  const database = verifyDatabase(layout, findings, progress);
  const derivedFiles = database.readable
    ? await verifyDerived(
        { layout, dims: database.damage.settings.dims, findings },
        database.damage,
        progress,
      )
    : { keywordFiles: 0, graphFiles: 0, filterFiles: 0 };
  const report: VerifyReport = {
    folder: layout.folder,
    ok: findings.count === 0,
    readable: database.readable,
    generation: database.damage.settings.generation,
    findings: findings.list,
    unlisted: findings.unlisted,
    checked: { ...database.count, ...derivedFiles },
    durationMs: performance.now() - started,
  };
  return { report, damage: database.damage };
}

async function verifyDerived(
  context: DerivedContext,
  { settings: { indexId, graphIdentity } }: DatabaseDamage,
  progress: ProgressSender,
): Promise<Pick<VerifyReport['checked'], 'keywordFiles' | 'graphFiles' | 'filterFiles'>> {
  const { layout, findings } = context;
  progress.start('keyword index');
  const keywordFiles = await derived(findings, 'keywords', layout.keywords, () => verifyKeywords(context));
  progress.start('graph');
  const graphFiles = await derived(findings, 'graph', layout.graph, () =>
    verifyGraphs(context, graphIdentity),
  );
  progress.start('metadata columns');
  const filterFiles = await derived(findings, 'filters', layout.filters, () =>
    verifyFilters(context, indexId),
  );
  return { keywordFiles, graphFiles, filterFiles };
}

/** One transaction, so that all that is looked at is of one commit. */
function verifyDatabase(
  layout: IndexLayout,
  findings: Findings,
  progress: ProgressSender,
): { readable: boolean; count: DatabaseCount; damage: DatabaseDamage } {
  let db: Connection | undefined;
  try {
    db = openAtCommit(layout.database);
    const verifier = new DatabaseVerifier(db, layout.database, findings, progress);
    verifier.verify();
    return { readable: true, count: verifier.count, damage: verifier.damage };
  } catch (error) {
    if (isHeldByOthers(error)) throw error;
    // Not even its tables can be read.
    const problem = existsSync(layout.database) ? (error as Error).message : 'it is missing';
    findings.add({ part: 'database', file: layout.database, place: 'the whole file', problem });
    const count = { documents: 0, chunks: 0, vectors: 0 };
    return { readable: false, count, damage: noDamage({ structure: true }) };
  } finally {
    db?.close();
  }
}

async function derived(
  findings: Findings,
  part: 'keywords' | 'graph' | 'filters',
  file: string,
  verify: () => number | Promise<number>,
): Promise<number> {
  try {
    return await verify();
  } catch (error) {
    if (isHeldByOthers(error)) throw error;
    findings.add({ part, file, place: 'the folder', problem: (error as Error).message });
    return 0;
  }
}
