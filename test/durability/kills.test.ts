import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { randomness } from './documents.mjs';
import { checkIndex, History, OFTEN, type State } from './model.js';
import { newRoot, STORE, startProgram } from './program.js';
import { type DiskRule, noRecorder, recorded } from './recorder.js';

/** Kills in all; 200 for the long run: `npm run test:kills`. */
const KILLS = Number(process.env.SLUICE_TEST_KILLS ?? 20);
const COMMITS = 60;
/** Kills that one index lives through; checking it takes longer with each. */
const LIVES = 5;

type Rule = Pick<DiskRule, 'operations' | 'path' | 'thread'>;

interface Step {
  /** Calls at which the process is killed; undefined where a time is drawn instead. */
  rule: Rule | undefined;
  /** The call is drawn from so many. */
  calls: number;
}

const STEPS: Record<string, Step> = {
  'sqlite-commit': { rule: { operations: 'cwts', path: 'sluice.db' }, calls: 24 },
  'keyword-commit': { rule: { operations: 'cwtsru', path: 'keywords/' }, calls: 90 },
  merge: { rule: { operations: 'cwtsru', path: 'keywords/', thread: 'merge_thread' }, calls: 50 },
  snapshot: { rule: { operations: 'cwts', path: 'graph/' }, calls: 10 },
  publish: { rule: { operations: 'cwtsrum', path: '' }, calls: 100 },
  purge: { rule: { operations: 'wts', path: 'sluice.db' }, calls: 24 },
  close: { rule: { operations: 'cwtsru', path: '' }, calls: 30 },
  'any time': { rule: undefined, calls: 0 },
  compaction: { rule: { operations: 'cwtsru', path: '' }, calls: 60 },
};

const NAMES = Object.keys(STEPS);

interface Kill {
  step: string;
  /** Acknowledged commits of the killed process. */
  commits: number;
  /** Whether the commit that was under way is in. */
  under_way: boolean;
}

/** An index that lives through many kills, with the state that it must have. */
class Victim {
  readonly folder = join(newRoot(), 'index');
  readonly #next: () => number;
  #generation = 0;
  #state: State = new Map();
  #round: number;

  constructor(seed: number) {
    this.#next = randomness(seed);
    this.#round = seed * 100 + 1;
  }

  async kill(step: string): Promise<Kill> {
    const { rule, calls } = STEPS[step]!;
    for (let most = calls; ; most = most >> 1) {
      const skip = Math.floor(this.#next() * most);
      const history = await this.#run(step, rule && { ...rule, skip, action: 'KILL' });
      const { found, generation, state } = await checkIndex(this.folder, history);
      this.#generation = generation;
      this.#state = state;
      if (!history.ended) {
        return { step, commits: history.commits, under_way: found > history.acknowledged };
      }
      expect(most, `${step} was never reached`).toBeGreaterThan(0);
    }
  }

  /** Runs the writer until it is killed, or comes to its end because the step has fewer calls than were let through. */
  async #run(step: string, rule: DiskRule | undefined): Promise<History> {
    const history = new History(this.#generation, this.#state);
    const { folder } = this;
    const argument = { store: STORE, folder, options: OFTEN, seed: this.#round++, commits: COMMITS, step };
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

function table(kills: Kill[]): string {
  const rows = NAMES.map((step) => {
    const own = kills.filter((kill) => kill.step === step);
    const commits = own.map((kill) => kill.commits);
    const underWay = own.filter((kill) => kill.under_way).length;
    return `| ${step} | ${own.length} | ${Math.min(...commits)}–${Math.max(...commits)} | ${underWay} | 0 |`;
  });
  const head =
    '| killed at | kills | acknowledged commits before | one more was in | lost |\n|---|--:|--:|--:|--:|';
  return [head, ...rows].join('\n');
}

describe.skipIf(noRecorder !== undefined)(`kill -9 (S2)${noRecorder ? `: ${noRecorder}` : ''}`, () => {
  const kills: Kill[] = [];
  it.each(NAMES.map((step, i) => [step, i] as const))(
    'at %s: nothing that was acknowledged is lost',
    async (step, i) => {
      const share = Math.ceil(KILLS / NAMES.length);
      let victim = new Victim(i + 1);
      for (let n = 0; n < share; n++) {
        if (n > 0 && n % LIVES === 0) victim = new Victim(NAMES.length * n + i + 1);
        const kill = await victim.kill(step);
        expect(kill.commits).toBeGreaterThanOrEqual(2);
        kills.push(kill);
      }
      if (i === NAMES.length - 1) console.log(table(kills));
    },
    1_800_000,
  );
});
