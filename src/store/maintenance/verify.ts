import type { IndexLayout } from '../layout.js';
import { type Connection, openForReading } from '../schema.js';
import { Findings, type VerifyReport } from './findings.js';
import type { ProgressSender } from './progress.js';
import { type DatabaseCount, type DatabaseDamage, DatabaseVerifier, noDamage } from './verify-database.js';
import { type DerivedContext, verifyFilters, verifyGraphs, verifyKeywords } from './verify-derived.js';

/**
 * Looks at everything in an index, in one state of it: commits that happen meanwhile are not seen.
 * @returns also what a repair has to leave out
 */
export async function verifyLayout(
  layout: IndexLayout,
  progress: ProgressSender,
): Promise<{ report: VerifyReport; damage: DatabaseDamage }> {
  const started = performance.now();
  const findings = new Findings();
  const database = verifyDatabase(layout, findings, progress);
  const { dims, generation, indexId, graphIdentity } = database.damage.settings;
  const context: DerivedContext = { layout, dims, findings };
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
  const report: VerifyReport = {
    folder: layout.folder,
    ok: findings.count === 0,
    generation,
    findings: findings.list,
    unlisted: findings.unlisted,
    checked: { ...database.count, keywordFiles, graphFiles, filterFiles },
    durationMs: performance.now() - started,
  };
  return { report, damage: database.damage };
}

/** One transaction, so that all that is looked at is of one commit. */
function verifyDatabase(
  layout: IndexLayout,
  findings: Findings,
  progress: ProgressSender,
): { count: DatabaseCount; damage: DatabaseDamage } {
  let db: Connection | undefined;
  try {
    db = openForReading(layout.database);
    db.exec('BEGIN');
    const verifier = new DatabaseVerifier(db, layout.database, findings, progress);
    verifier.verify();
    return verifier;
  } catch (error) {
    // Not even its tables can be read.
    const problem = (error as Error).message;
    findings.add({ part: 'database', file: layout.database, place: 'the whole file', problem });
    return { count: { documents: 0, chunks: 0, vectors: 0 }, damage: noDamage({ structure: true }) };
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
    findings.add({ part, file, place: 'the folder', problem: (error as Error).message });
    return 0;
  }
}
