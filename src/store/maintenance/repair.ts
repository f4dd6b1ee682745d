import { SluiceError } from '../../errors.js';
import type { IndexLayout } from '../layout.js';
import { writerLock } from '../lock.js';
import { inspectStore } from '../open.js';
import { resolveOptions } from '../options.js';
import { LocalWriter } from '../writer.js';
import type { Finding, IndexPart, VerifyReport } from './findings.js';
import { type BuildOptions, layoutOf, list, withMaintenance } from './maintain.js';
import type { DroppedDocument, Salvage } from './salvage.js';

export interface RepairOptions extends BuildOptions {
  /** Removes the documents whose rows are damaged. Default false: they are only named. */
  dropDamaged?: boolean;
}

/** What a repair found and did. */
export interface RepairReport {
  folder: string;
  /** Nothing damaged is left. */
  ok: boolean;
  /** What was wrong before. */
  findings: Finding[];
  /** Parts that were made good. */
  rebuilt: IndexPart[];
  /** Documents with damaged rows that are still in: `dropDamaged` removes them. */
  damaged: DroppedDocument[];
  /** Documents that were removed because their rows were damaged; indexing their sources again brings them back. */
  dropped: DroppedDocument[];
  /** Sources whose files are read again at the next run: 'all' where a damaged row hides whose it was. */
  forgotten: string[] | 'all';
  /** What is still wrong. */
  remaining: Finding[];
  durationMs: number;
}

const NOTHING: Salvage = { dropped: [], forgotten: [] };

/**
 * Builds what is derived anew where it is damaged, and puts the database in order as far as no document is lost by it.
 * Documents with damaged rows are named, and removed only with `dropDamaged`.
 * @throws SLUICE_INDEX_LOCKED; SLUICE_INDEX_CORRUPT where the database, or its settings, cannot be read
 */
export async function repairIndex(folder: string, options: RepairOptions = {}): Promise<RepairReport> {
  const started = performance.now();
  const layout = await layoutOf(folder);
  return withMaintenance(options, `repairing ${layout.folder}`, async (thread, port) => {
    const target = { folder: layout.folder, port };
    const lock = writerLock(layout);
    let before: VerifyReport;
    let salvaged = NOTHING;
    let kind: 'none' | 'structure' | 'documents';
    try {
      before = await thread.call('verify', target, list(port));
      if (!before.readable) throw beyondRepair(layout, before.findings[0]!.problem);
      kind = await thread.call('damageKind', undefined);
      if (kind === 'structure' || (kind === 'documents' && options.dropDamaged))
        salvaged = await thread.call('salvage', { folder: layout.folder, port: undefined }).catch((error) => {
          if (!SluiceError.is(error) || error.code !== 'SLUICE_INDEX_CORRUPT') throw error;
          throw beyondRepair(layout, before.findings[0]?.problem ?? error.message);
        });
    } finally {
      lock.release();
    }
    const rebuilt = await rebuildDerived(layout, before, options);
    if (kind === 'structure' || salvaged !== NOTHING) rebuilt.unshift('database');
    const after = await thread.call('verify', { folder: layout.folder, port: undefined });
    return {
      folder: layout.folder,
      ok: after.ok,
      findings: before.findings,
      rebuilt,
      damaged: documentsOf(after),
      ...salvaged,
      remaining: after.findings,
      durationMs: performance.now() - started,
    };
  });
}

/** No word of verify and repair here: those have said what they can. */
function beyondRepair({ database }: IndexLayout, problem: string): SluiceError {
  return new SluiceError('SLUICE_INDEX_CORRUPT', `the database ${database} cannot be repaired: ${problem}`, {
    hint: 'restore a backup, or index the documents again into a new folder',
    details: { path: database },
  });
}

/** A damaged document can make this fail: then the report says what is left. */
async function rebuildDerived(
  layout: IndexLayout,
  { findings }: VerifyReport,
  { graphThreshold }: RepairOptions,
): Promise<IndexPart[]> {
  const damaged = new Set(findings.map(({ part }) => part));
  const parts = {
    keywords: damaged.has('keywords'),
    graph: damaged.has('graph'),
    filters: damaged.has('filters'),
  };
  try {
    const { passport, ...identity } = await inspectStore(layout.folder);
    const store = resolveOptions(graphThreshold === undefined ? {} : { graphThreshold });
    const writer = await LocalWriter.open(
      layout,
      passport.embedder.dims,
      identity,
      store,
      writerLock(layout),
    );
    try {
      await writer.rebuild(parts);
    } finally {
      await writer.close();
    }
  } catch (error) {
    if (!SluiceError.is(error) || error.code !== 'SLUICE_INDEX_CORRUPT') throw error;
    return [];
  }
  return (['keywords', 'graph', 'filters'] as const).filter((part) => parts[part]);
}

/** The documents that findings are about, each once. */
function documentsOf({ findings }: Pick<VerifyReport, 'findings'>): DroppedDocument[] {
  const documents = new Map<string, DroppedDocument>();
  for (const { documentId: id, source = '' } of findings) {
    if (id !== undefined) documents.set(id, { id, source });
  }
  return [...documents.values()];
}
