import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { randomness } from './documents.mjs';
import { drawnKind, KINDS, type Kind, kindName, OFTEN } from './kinds.js';
import { checkIndex, History } from './model.js';
import { cutsOf, describeEvent, SURVIVALS } from './power-cuts.js';
import { newRoot, STORE, startProgram } from './program.js';
import { noRecorder, recorded } from './recorder.js';
import { type DiskEvent, readRecording } from './recording.js';
import { SimulatedDisk } from './simulated-disk.js';

/** Power cuts that are played back; each three times. More by hand. */
const CUTS = Number(process.env.SLUICE_TEST_CUTS ?? 4);
const SEED = Number(process.env.SLUICE_TEST_SEED ?? 7);
const COMMITS = 30;

async function record(step: string, kind: Kind): Promise<DiskEvent[]> {
  const [root, logs] = [newRoot(), newRoot()];
  const log = join(logs, 'recording');
  const folder = join(root, 'new', 'index');
  const options = { ...OFTEN, ...kind };
  const argument = { store: STORE, folder, options, seed: SEED, commits: COMMITS, step };
  const { status, errors } = await startProgram('writer.mjs', argument, { env: recorded(root, { log }) })
    .ended;
  expect(status, errors).toBe(0);
  return readRecording(log);
}

async function playBack(events: readonly DiskEvent[], kind: Kind): Promise<string[]> {
  const next = randomness(SEED);
  const cuts = cutsOf(events, next, CUTS);
  const disk = new SimulatedDisk();
  const history = new History();
  const problems: string[] = [];
  let marks = '';
  for (let i = 0; i <= events.length; i++) {
    if (cuts.has(i)) {
      for (const [name, survival] of SURVIVALS) {
        const root = newRoot();
        disk.cut(root, survival(next));
        const problem = await problemOf(join(root, 'new', 'index'), history, kind);
        if (problem)
          problems.push(`cut at ${i} (${describeEvent(events[i - 1])}), ${name} survives: ${problem}`);
        rmSync(root, { recursive: true });
      }
    }
    const event = events[i];
    if (event === undefined) break;
    disk.play(event);
    if (event.kind !== 'mark') continue;
    const lines = (marks + event.text).split('\n');
    marks = lines.pop()!;
    for (const line of lines) history.hear(line);
  }
  return problems;
}

/** Before the first acknowledged commit there may be no index yet; the folder can be made one then. */
async function problemOf(folder: string, history: History, kind: Kind): Promise<string | undefined> {
  if (history.acknowledged === 0 && !existsSync(join(folder, 'sluice.db'))) return undefined;
  try {
    await checkIndex(folder, history, kind);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What a run does besides commits, and a kind of index drawn for it; every kind where cuts are asked for by hand. */
const drawing = randomness(SEED);
const RUNS = ['none', 'purge', 'compaction', 'reembedding'].flatMap((step) => {
  const kinds = process.env.SLUICE_TEST_CUTS ? KINDS : [drawnKind(drawing)];
  return kinds.map((kind) => [step, kindName(kind), kind] as const);
});

describe.skipIf(noRecorder !== undefined)(`a power cut${noRecorder ? `: ${noRecorder}` : ''}`, () => {
  it.each(RUNS)(
    `at any call of a run (%s, %s; seed ${SEED}): the index opens at a commit that was acknowledged, or a later one`,
    async (step, _name, kind) => {
      expect(await playBack(await record(step, kind), kind)).toEqual([]);
    },
    1_800_000,
  );
});
