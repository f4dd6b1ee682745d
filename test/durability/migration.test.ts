import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMAT_VERSION, migrateStore, openStore, verifyIndex } from '../../src/store/index.js';
import { answersAndWrites, goldenFolder } from '../store/golden-index.js';
import { GOLDEN_OPTIONS } from '../store/make-golden.js';
import { randomness } from './documents.mjs';
import { cutsOf, describeEvent, SURVIVALS } from './power-cuts.js';
import { newRoot, STORE, startProgram } from './program.js';
import { type DiskRule, noRecorder, recorded } from './recorder.js';
import { readRecording } from './recording.js';
import { SimulatedDisk } from './simulated-disk.js';

/** Kills, full disks and power cuts of a migration from each version. More by hand. */
const KILLS = Number(process.env.SLUICE_TEST_MIGRATIONS ?? 5);
const DISKS = Number(process.env.SLUICE_TEST_MIGRATIONS ?? 3);
const CUTS = Number(process.env.SLUICE_TEST_MIGRATIONS ?? 4);
const SEED = Number(process.env.SLUICE_TEST_SEED ?? 7);
const OLD = [1, 2];
const EVERY = { operations: 'cwtsrum', path: '' };

interface Migration {
  folder: string;
  signal: NodeJS.Signals | null;
  calls: number;
  migrated: number | undefined;
  trouble: { code: string; message: string } | undefined;
}

async function migration(from: number, rule: DiskRule | undefined, log?: string): Promise<Migration> {
  const root = newRoot();
  const folder = join(root, 'index');
  const seen = { folder, calls: 0, migrated: undefined, trouble: undefined };
  const env = recorded(root, { rules: rule ? [rule] : [], ...(log !== undefined && { log }) });
  const argument = { store: STORE, golden: goldenFolder(from), folder };
  const hear = (line: string) => void Object.assign(seen, JSON.parse(line));
  const { signal, status, errors } = await startProgram('migrate.mjs', argument, { env, hear }).ended;
  expect(signal === 'SIGKILL' || status === 0, errors).toBe(true);
  return { ...seen, signal };
}

/** Calls of a migration that nothing disturbs. */
async function callsOf(from: number): Promise<number> {
  const skip = Number.MAX_SAFE_INTEGER;
  const { calls, migrated, folder } = await migration(from, { ...EVERY, skip, action: 'KILL' });
  expect(migrated).toBe(from);
  await answersAndWrites(folder);
  expect(calls).toBeGreaterThan(10);
  return calls;
}

/** The version that an index says that it has. */
async function versionOf(folder: string): Promise<number> {
  try {
    await (await openStore(folder, GOLDEN_OPTIONS)).close();
    return FORMAT_VERSION;
  } catch (error) {
    const { code, details } = error as { code: string; details: { actual: number } };
    expect(code, String(error)).toBe('SLUICE_INDEX_VERSION');
    return details.actual;
  }
}

/** It must be the old index or the new one, and either of them whole. @returns whether it was the new one */
async function expectOldOrNew(folder: string, from: number): Promise<boolean> {
  const version = await versionOf(folder);
  expect([from, FORMAT_VERSION]).toContain(version);
  expect(await migrateStore(folder)).toEqual({ from: version, to: FORMAT_VERSION });
  expect((await verifyIndex(folder)).findings).toEqual([]);
  await answersAndWrites(folder);
  return version === FORMAT_VERSION;
}

describe.skipIf(noRecorder !== undefined)(
  `an index that is brought up to date${noRecorder ? `: ${noRecorder}` : ''}`,
  () => {
    it.each(OLD)(
      `from version %i, killed at any call: is the old one or the new one (seed ${SEED})`,
      async (from) => {
        const next = randomness(SEED + from);
        const calls = await callsOf(from);
        const isNew: boolean[] = [];
        for (let n = 0; n < KILLS; n++) {
          // The first one at the first call, the last one at the last.
          const skip = n === KILLS - 1 ? calls - 1 : Math.floor(((n && n + next()) / KILLS) * calls);
          const { signal, folder } = await migration(from, { ...EVERY, skip, action: 'KILL' });
          expect(signal, `killed after ${skip} of ${calls} calls`).toBe('SIGKILL');
          isNew.push(await expectOldOrNew(folder, from));
        }
        expect([isNew.at(0), isNew.at(-1)]).toEqual([false, true]);
      },
      1_800_000,
    );

    it.each(OLD)(
      `from version %i, on a full disk: says so and stays the old one (seed ${SEED})`,
      async (from) => {
        const next = randomness(SEED + from);
        const calls = await callsOf(from);
        for (let n = 0; n < DISKS; n++) {
          const skip = Math.floor(((n && n + next()) / DISKS) * calls);
          const rule = { ...EVERY, skip, action: 'ENOSPC' } as const;
          const { trouble, migrated, folder } = await migration(from, rule);
          const when = `full after ${skip} of ${calls} calls`;
          expect(trouble !== undefined || n > 0, when).toBe(true);
          if (trouble) {
            expect(trouble, when).toMatchObject({ code: 'SLUICE_DISK_FULL' });
            expect(trouble.message, when).toMatch(/make room/);
            expect(trouble.message, when).toContain(folder);
          }
          // Once it is the new one, the rest only tidies up.
          expect(migrated, when).toBe(from);
          expect(await expectOldOrNew(folder, from), when).toBe(true);
        }
      },
      1_800_000,
    );

    it.each(OLD)(
      `from version %i, at a power cut: is the old one or the new one (seed ${SEED})`,
      async (from) => {
        const next = randomness(SEED + from);
        const log = join(newRoot(), 'recording');
        await migration(from, undefined, log);
        const events = readRecording(log);
        const isMark = (said: string, i: number) =>
          events[i]!.kind === 'mark' && (events[i] as { text: string }).text.includes(said);
        const copied = events.findIndex((_, i) => isMark('copied', i));
        const acknowledged = events.findIndex((_, i) => isMark('migrated', i));
        const cuts = cutsOf(events, next, CUTS, copied + 1);
        const disk = new SimulatedDisk();
        for (let i = 0; i <= events.length; i++) {
          for (const [name, survival] of cuts.has(i) ? SURVIVALS : []) {
            const root = newRoot();
            disk.cut(root, survival(next));
            const when = `cut at ${i} (${describeEvent(events[i - 1])}), ${name} survives`;
            expect(existsSync(join(root, 'index', 'sluice.db')), when).toBe(true);
            const isNew = await expectOldOrNew(join(root, 'index'), from);
            if (i > acknowledged) expect(isNew, when).toBe(true);
          }
          if (events[i] !== undefined) disk.play(events[i]!);
        }
      },
      1_800_000,
    );
  },
);
