/**
 * One process, one job: make the corpus of a case, or run one engine on it once. Started by run.mjs, which sends the
 * job and gets the result as messages, so that nothing that an engine prints gets in between.
 */
import { peakRssMiB } from '../lib/machine.mjs';
import { CASES } from './cases.mjs';

const JOBS = {
  /** Runs once for all rounds and engines. */
  async corpus({ corpus, settings }, { folder, size }) {
    const { make } = await import(corpus.module);
    await make(folder, { size, seed: corpus.seed, settings });
  },

  /** Rate, quality and memory of one engine in a process that did nothing else. */
  async engine({ corpus, settings, engines }, { folder, engine }) {
    const { read } = await import(corpus.module);
    const { open } = await import(engines[engine].adapter);
    const adapter = await open(await read(folder, settings), settings);
    await adapter.warmUp?.();
    const cpuBefore = process.cpuUsage();
    const from = performance.now();
    const { units } = await adapter.run();
    const seconds = (performance.now() - from) / 1000;
    const { user, system } = process.cpuUsage(cpuBefore);
    const peak = peakRssMiB();
    const quality = (await adapter.quality?.()) ?? {};
    await adapter.close?.();
    const cpuRate = (units * 1e6) / (user + system);
    return { units, seconds, rate: units / seconds, cpuRate, peakRssMiB: peak, quality };
  },

  /** Sets the outputs of both engines against each other. */
  async compare({ corpus }, { folder }) {
    const { compare } = await import(corpus.module);
    return (await compare?.(folder)) ?? {};
  },
};

process.once('message', async (job) => {
  try {
    const selected = CASES.find(({ name }) => name === job.case);
    const result = await JOBS[job.kind](selected, job);
    process.send({ result }, () => process.disconnect());
  } catch (error) {
    process.exitCode = 1;
    process.send({ error: error.stack ?? String(error) }, () => process.disconnect());
  }
});
