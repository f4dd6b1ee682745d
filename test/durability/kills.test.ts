import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { randomness } from './documents.mjs';
import { drawnKind, KINDS, type Kind, kindName, OFTEN } from './kinds.js';
import { checkIndex, History, type Known, NOTHING } from './model.js';
import { newRoot, STORE, startProgram } from './program.js';
import { type DiskRule, noRecorder, recorded } from './recorder.js';

/** Kills in all; 200 for the long run: `npm run test:kills`. */
const KILLS = Number(process.env.SLUICE_TEST_KILLS ?? 22);
const SEED = Number(process.env.SLUICE_TEST_SEED ?? 7);
const COMMITS = 60;
/** Kills that one index lives through; checking it takes longer with each. */
const LIVES = 5;
/** Commits of a run that is there to count the calls of a step. */
const COUNTED_COMMITS = 20;

type Rule = Pick<DiskRule, 'operations' | 'path' | 'thread'>;

interface Step {
  /** Calls at which the process is killed; undefined where a time is drawn instead. */
  rule: Rule | undefined;
  /** The call is drawn from so many; 'counted': from as many as a run without a kill makes. */
  calls: number | 'counted';
  /** Kills at the least, so that each of its parts gets one. */
  least?: number;
}

const STEPS: Record<string, Step> = {
  'sqlite-commit': { rule: { operations: 'cwts', path: 'sluice.db' }, calls: 24 },
  'keyword-commit': { rule: { operations: 'cwtsru', path: 'keywords/' }, calls: 90 },
  merge: { rule: { operations: 'cwtsru', path: 'keywords/', thread: 'merge_thread' }, calls: 50 },
  snapshot: { rule: { operations: 'cwtsru', path: 'graph' }, calls: 'counted' },
  columns: { rule: { operations: 'cwtsru', path: 'filters' }, calls: 'counted' },
  publish: { rule: { operations: 'cwtsrum', path: '' }, calls: 'counted' },
  purge: { rule: { operations: 'wts', path: 'sluice.db' }, calls: 24 },
  close: { rule: { operations: 'cwtsru', path: '' }, calls: 30 },
  'any time': { rule: undefined, calls: 0 },
  compaction: { rule: { operations: 'cwtsrum', path: '' }, calls: 'counted', least: 4 },
  reembedding: { rule: { operations: 'cwtsrum', path: '' }, calls: 'counted' },
};

const NAMES = Object.keys(STEPS);

interface Kill {
  step: string;
  kind: Kind;
  /** Matching calls that were let through; undefined where a time was drawn. */
  skip: number | undefined;
  /** What of the index it was at. */
  place: string;
  /** Acknowledged commits of the killed process. */
  commits: number;
  /** Whether the commit that was under way is in. */
  underWay: boolean;
}

/** An index that lives through many kills, with the state that it must have. */
class Victim {
  readonly folder = join(newRoot(), 'index');
  readonly #step: string;
  readonly #next: () => number;
  #known: Known = NOTHING;
  #round: number;

  constructor(step: string, seed: number) {
    this.#step = step;
    this.#next = randomness(seed);
    this.#round = seed * 100 + 1;
  }

  /** The most calls that the step takes in a run without a kill. */
  async count(): Promise<number> {
    const { rule, calls } = STEPS[this.#step]!;
    if (rule === undefined || calls !== 'counted') return calls as number;
    const never = { ...rule, skip: Number.MAX_SAFE_INTEGER, action: 'KILL' } as const;
    const history = await this.#run(KINDS[0]!, never, COUNTED_COMMITS);
    expect(history.ended).toBe(true);
    this.#known = await checkIndex(this.folder, history);
    expect(history.calls, `calls of ${this.#step}`).toBeGreaterThan(0);
    return history.calls;
  }

  /**
   * @param calls that the step takes
   * @param slice the part of them, in [from, to) as shares, from which the call is drawn
   */
  async kill(calls: number, [from, to]: [number, number]): Promise<Kill> {
    const step = this.#step;
    const { rule } = STEPS[step]!;
    const kind = drawnKind(this.#next);
    for (let most = calls; ; most = most >> 1) {
      const skip = Math.floor((from + this.#next() * (to - from)) * most);
      const history = await this.#run(kind, rule && { ...rule, skip, action: 'KILL' });
      const { found, ...known } = await checkIndex(this.folder, history, kind);
      this.#known = known;
      if (!history.ended) {
        const { commits, killed, acknowledged } = history;
        const place = killed.split('/')[1] ?? '';
        return { step, kind, skip: rule && skip, place, commits, underWay: found > acknowledged };
      }
      expect(most, `${step} was never reached`).toBeGreaterThan(0);
    }
  }

  /** Runs the writer until it is killed, or comes to its end because the step has fewer calls than were let through. */
  async #run(kind: Kind, rule: DiskRule | undefined, commits = COMMITS): Promise<History> {
    const history = new History(this.#known);
    const { folder } = this;
    const options = { ...OFTEN, ...kind };
    const argument = { store: STORE, folder, options, seed: this.#round++, commits, step: this.#step };
    const env = recorded(join(folder, '..'), { rules: rule ? [rule] : [] });
    const program = startProgram('writer.mjs', argument, { env, hear: (line) => history.hear(line) });
    if (!rule) void this.#killLater(program, history);
    const { signal, status, errors } = await program.ended;
    expect(signal === 'SIGKILL' || history.ended, `${status} ${signal}: ${errors}`).toBe(true);
    return history;
  }

  async #killLater(program: ReturnType<typeof startProgram>, history: History): Promise<void> {
    while (history.commits < 2 && !history.ended) await delay(5);
    await delay(this.#next() * 1_500);
    program.kill('SIGKILL');
  }
}

function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${name} ${count}`).join('; ');
}

function report(kills: Kill[]): string {
  const rows = NAMES.flatMap((step) => {
    const own = kills.filter((kill) => kill.step === step);
    if (own.length === 0) return [];
    const commits = own.map((kill) => kill.commits);
    const skips = own.flatMap(({ skip }) => skip ?? []);
    const reach = skips.length === 0 ? '' : `${Math.min(...skips)}–${Math.max(...skips)}`;
    const underWay = own.filter((kill) => kill.underWay).length;
    return `| ${step} | ${own.length} | ${reach} | ${Math.min(...commits)}–${Math.max(...commits)} | ${underWay} | 0 |`;
  });
  const places = (wanted: string) => kills.filter(({ step }) => step === wanted).map(({ place }) => place);
  return [
    '| killed at | kills | calls let through | acknowledged commits before | one more was in | lost |',
    '|---|--:|--:|--:|--:|--:|',
    ...rows,
    `kinds of index: ${counted(kills.map(({ kind }) => kindName(kind)))}`,
    `compactions killed at: ${counted(places('compaction'))}`,
    `re-embeddings killed at: ${counted(places('reembedding'))}`,
    `seed ${SEED}`,
  ].join('\n');
}

describe.skipIf(noRecorder !== undefined)(`kill -9 (S2)${noRecorder ? `: ${noRecorder}` : ''}`, () => {
  const kills: Kill[] = [];
  it.each(NAMES.map((step, i) => [step, i] as const))(
    `at %s: nothing that was acknowledged is lost (seed ${SEED})`,
    async (step, i) => {
      const share = Math.max(Math.ceil(KILLS / NAMES.length), STEPS[step]!.least ?? 0);
      const victimOf = (n: number) => new Victim(step, 1_000 * SEED + NAMES.length * n + i);
      let victim = victimOf(0);
      const calls = await victim.count();
      for (let n = 0; n < share; n++) {
        if (n > 0 && n % LIVES === 0) victim = victimOf(n);
        // A slice each: the last calls of a step get their kills, however few there are.
        const kill = await victim.kill(calls, [n / share, (n + 1) / share]);
        expect(kill.commits).toBeGreaterThanOrEqual(2);
        kills.push(kill);
      }
      if (i === NAMES.length - 1) console.log(report(kills));
    },
    1_800_000,
  );
});
