import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyIndex } from '../../src/store/index.js';
import { randomness } from './documents.mjs';
import { drawnKind, KINDS, type Kind, OFTEN } from './kinds.js';
import { checkIndex, History } from './model.js';
import { newRoot, STORE, startProgram } from './program.js';
import { type DiskRule, noRecorder, recorded } from './recorder.js';

/** Disks that fill up in one piece of upkeep, at calls from its first to its last. More by hand. */
const DISKS = Number(process.env.SLUICE_TEST_DISKS ?? 2);
const SEED = Number(process.env.SLUICE_TEST_SEED ?? 7);

/** What it does, and what it may leave beside the index once it was refused. */
const UPKEEP = ['compaction', 'reembedding', 'backup', 'export', 'export to Parquet', 'import'];
const GIVEN = ['given.jsonl', 'index', 'temporary'];

/**
 * The last calls of each only tidy up what is durable by then: SQLite's log goes, and after new vectors the old ones. They
 * were seen to be 19 to 21, and 37, however many come before them.
 */
const TIDYING_CALLS = 30;
const REEMBEDDING_TIDYING_CALLS = 50;

interface Attempt {
  folder: string;
  history: History;
  trouble: { code: string; message: string } | undefined;
  made: [findings: unknown[], chunks: number] | undefined;
  held: number;
  left: string[];
  again: boolean;
}

/** Writes, new names and new lengths. */
const EVERY = { operations: 'cwtm', path: '' };

/** @param skip of those that still find room */
async function attempt(
  what: string,
  kind: Kind,
  skip: number,
  calls: Pick<DiskRule, 'operations' | 'path'> = EVERY,
): Promise<Attempt> {
  const root = newRoot();
  const folder = join(root, 'index');
  // What SQLite keeps in temporary files meets the full disk too.
  const temporary = join(root, 'temporary');
  mkdirSync(temporary);
  const history = new History();
  const seen: Attempt = {
    folder,
    history,
    trouble: undefined,
    made: undefined,
    held: 0,
    left: [],
    again: false,
  };
  const hear = (line: string) => {
    history.hear(line);
    Object.assign(
      seen,
      JSON.parse(line, (key, value) => (key === 'left' ? value.sort() : value)),
    );
  };
  const rule = { ...calls, skip, action: 'ENOSPC' } as const;
  const env = { ...recorded(root, { rules: [rule] }), SQLITE_TMPDIR: temporary, TMPDIR: temporary };
  const argument = { store: STORE, folder, options: { ...OFTEN, ...kind }, what };
  const { status, errors } = await startProgram('upkeep.mjs', argument, { env, hear }).ended;
  expect(status, errors).toBe(0);
  return seen;
}

describe.skipIf(noRecorder !== undefined)(
  `upkeep on a full disk${noRecorder ? `: ${noRecorder}` : ''}`,
  () => {
    it.each(UPKEEP.map((what, i) => [what, i] as const))(
      `%s: refused with a reason, and the index is as before (seed ${SEED})`,
      async (what, i) => {
        const next = randomness(SEED + i);
        const kind = drawnKind(next);
        const roomy = await attempt(what, kind, Number.MAX_SAFE_INTEGER);
        expect(roomy.trouble).toBeUndefined();
        const { calls } = roomy.history;
        for (let n = 0; n <= DISKS; n++) {
          const from = (n * calls) / DISKS;
          // In the end only the tidying up is met.
          const skip = n === DISKS ? calls - 2 : Math.floor(from + (next() * calls) / DISKS);
          const { folder, history, trouble, made, held, left, again } = await attempt(what, kind, skip);
          const when = `${what}, full after ${skip} of ${calls} calls`;
          if (trouble === undefined) {
            const tidying = what === 'reembedding' ? REEMBEDDING_TIDYING_CALLS : TIDYING_CALLS;
            expect(calls - skip, when).toBeLessThan(tidying);
            expect(made, when).toEqual([[], held]);
          } else {
            expect(trouble, when).toMatchObject({ code: 'SLUICE_DISK_FULL' });
            expect(trouble.message, when).toMatch(/make room/);
            expect(trouble.message, when).toContain(basename(join(folder, '..')));
            expect(left, when).toEqual(GIVEN);
          }
          // With room again it is done, and nothing of the index was lost meanwhile.
          expect(again, when).toBe(true);
          if (what === 'backup' || what === 'import')
            expect((await verifyIndex(join(folder, '..', 'made'))).findings, when).toEqual([]);
          await checkIndex(folder, history, kind);
        }
      },
      1_800_000,
    );

    it('says so where SQLite only says that it cannot open a database whose log gets no name', async () => {
      const codes = new Set<string | undefined>();
      for (let skip = 0; skip < 4; skip++) {
        const names = { operations: 'c', path: 'sluice.db-' };
        const { trouble, made, held } = await attempt('export', KINDS[0]!, skip, names);
        if (trouble) expect(trouble.message).toMatch(/make room/);
        else expect(made).toEqual([[], held]);
        codes.add(trouble?.code);
      }
      expect([...codes].sort()).toEqual(['SLUICE_DISK_FULL', undefined]);
    });
  },
);
