import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkIndex, History } from './model.js';
import { newRoot, STORE, startProgram } from './program.js';
import { type DiskRule, noRecorder, recorded } from './recorder.js';

/** Every publish extends the graph and writes the filter columns: they hold what all commits bring. */
const OPTIONS = { graphThreshold: 5, keywordCommitChunks: 1_000, filterThreshold: 1 };

interface Report {
  history: History;
  /** What was refused while the rule held, and afterwards. */
  trouble: { code: string; message: string }[];
  late: { code: string; message: string }[];
  seen: [generation: number, chunks: number, keywordHits: number, filtered: number][];
  bytes: number;
  folder: string;
}

async function run(rule: DiskRule | undefined, rounds = 3): Promise<Report> {
  const root = newRoot();
  const folder = join(root, 'index');
  const history = new History();
  const report: Report = { history, trouble: [], late: [], seen: [], bytes: 0, folder };
  let lifted = false;
  const hear = (line: string) => {
    history.hear(line);
    const said = JSON.parse(line);
    if (said.lifted) lifted = true;
    if (said.trouble) (lifted ? report.late : report.trouble).push(said.trouble);
    if (said.seen) report.seen.push(said.seen);
    report.bytes = said.bytes ?? report.bytes;
  };
  const env = recorded(root, { rules: rule ? [rule] : [] });
  const argument = { store: STORE, folder, options: OPTIONS, rounds };
  const { status, errors } = await startProgram('failing.mjs', argument, { env, hear }).ended;
  expect(status, errors).toBe(0);
  return report;
}

/** A reader sees whole generations, whatever goes wrong beside it. */
function expectWholeGenerations({ seen, history }: Report): void {
  for (const [generation, ...counts] of seen) {
    const held = [...history.states.get(generation)!.values()];
    const expected = held.reduce((sum, document) => sum + document.chunks, 0);
    expect(counts).toEqual([expected, expected, expected]);
  }
}

/** 50 by hand. */
const FAILURES = Number(process.env.SLUICE_TEST_FAILURES ?? 10);

const FULL = 'SLUICE_DISK_FULL';
const FAILED = 'SLUICE_DISK_FAILED';

const CASES: [what: string, rule: DiskRule, code: string][] = [
  ['no room for the log', { operations: 'w', path: 'sluice.db-wal$', action: 'ENOSPC' }, FULL],
  ['no room after some of the log', { operations: 'w', path: '-wal$', skip: 9, action: 'ENOSPC' }, FULL],
  ['no room for a segment', { operations: 'w', path: 'keywords/', action: 'ENOSPC' }, FULL],
  ['no room for the names of segments', { operations: 'c', path: 'keywords/', action: 'ENOSPC' }, FULL],
  ['no room after some segments', { operations: 'w', path: 'keywords/', skip: 12, action: 'ENOSPC' }, FULL],
  ['no room for a graph', { operations: 'w', path: 'graph/', action: 'ENOSPC' }, FULL],
  ['no room for the name of a graph', { operations: 'c', path: 'graph/', action: 'ENOSPC' }, FULL],
  ['no room for filter columns', { operations: 'w', path: 'filters/', action: 'ENOSPC' }, FULL],
  [
    'no room after some filter columns',
    { operations: 'w', path: 'filters/', skip: 2, action: 'ENOSPC' },
    FULL,
  ],
  ['no room for the name of filter columns', { operations: 'c', path: 'filters/', action: 'ENOSPC' }, FULL],
  ['no room for a new generation', { operations: 'c', path: 'readers/', action: 'ENOSPC' }, FULL],
  ['no room for anything', { operations: 'cwtm', path: '', action: 'ENOSPC' }, FULL],
  ['a quota on the graph', { operations: 'w', path: 'graph/', action: 'EDQUOT' }, FULL],
  ['a quota on filter columns', { operations: 'w', path: 'filters/', action: 'EDQUOT' }, FULL],
  ['a limit on file sizes', { operations: 'w', path: 'keywords/', action: 'EFBIG' }, FULL],
  ['a log that cannot be synced', { operations: 's', path: 'sluice.db-wal$', action: 'EIO' }, FAILED],
  ['a quota on the log', { operations: 'w', path: 'sluice.db-wal$', action: 'EDQUOT' }, FAILED],
  ['segments that cannot be synced', { operations: 's', path: 'keywords/', action: 'EIO' }, FAILED],
  ['a meta file that gets no name', { operations: 'r', path: 'keywords/meta.json', action: 'EIO' }, FAILED],
  ['a graph that cannot be synced', { operations: 's', path: 'graph/', action: 'EIO' }, FAILED],
  ['a graph that gets no name', { operations: 'r', path: 'graph/', action: 'EIO' }, FAILED],
  ['filter columns that cannot be synced', { operations: 's', path: 'filters/', action: 'EIO' }, FAILED],
  ['filter columns that get no name', { operations: 'r', path: 'filters/', action: 'EIO' }, FAILED],
  // SQLite takes what cannot be read for damaged.
  [
    'a log that cannot be read',
    { operations: 'g', path: 'sluice.db-wal$', action: 'EIO' },
    'SLUICE_INDEX_CORRUPT',
  ],
];

describe.skipIf(noRecorder !== undefined)(
  `a full or failing disk${noRecorder ? `: ${noRecorder}` : ''}`,
  () => {
    it.each(CASES)('%s: refused with a reason, and nothing is lost', async (_what, rule, code) => {
      const report = await run(rule);
      expect(report.trouble.length).toBeGreaterThan(0);
      for (const { code: found, message } of report.trouble) {
        expect(found, message).toBe(code);
        // What, where, and what to do.
        expect(message).toContain(report.folder);
        expect(message).toMatch(
          /make room|log for the disk's errors|check the permissions|restore the folder/,
        );
      }
      expect(report.late).toEqual([]);
      expect(report.history.ended).toBe(true);
      expectWholeGenerations(report);
      expect(report.seen.at(-1)![0]).toBe(report.history.acknowledged);
      await checkIndex(report.folder, report.history);
    });

    it(`${FAILURES} failures leave nothing behind (S6)`, async () => {
      const whole = await run(undefined, FAILURES);
      for (const path of ['graph/', 'keywords/meta.json', 'filters/']) {
        const failing = await run({ operations: 'r', path, action: 'EIO' }, FAILURES);
        expect(failing.trouble.length).toBeGreaterThanOrEqual(FAILURES);
        expect(failing.bytes).toBeLessThan(2 * whole.bytes);
        await checkIndex(failing.folder, failing.history);
      }
    });
  },
);
