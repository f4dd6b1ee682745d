/**
 * Rounds of a comparison. Engines take turns, A B A B, so that a machine that slows down or gets busy half-way hits
 * both; each round gives one ratio, and the ratio of a pair is steadier than the two rates are.
 */
import { spread } from './stats.mjs';

/** The order of trials: every engine once a round, in the given order. */
export function interleave(engines, rounds) {
  return Array.from({ length: rounds }, (_, round) => engines.map((engine) => ({ round, engine }))).flat();
}

/** Rate of `engine` over rate of `base`, round by round; `key` names another rate to compare. */
export function roundRatios(trials, engine, base, key = 'rate') {
  return trials
    .filter((trial) => trial.engine === engine)
    .map((trial) => {
      const partner = trials.find((other) => other.engine === base && other.round === trial.round);
      if (!partner) throw new Error(`round ${trial.round} has no trial of ${base}`);
      return trial[key] / partner[key];
    });
}

/**
 * What to print of one case: rates, quality and memory of each engine, and the ratios of the first to each other one.
 * @param {{ engine: string, round: number, rate: number, cpuRate: number, peakRssMiB: number, quality: Record<string, number> }[]} trials
 */
export function summarise(trials, engines) {
  const [first, ...others] = engines;
  return {
    engines: engines.map((name) =>
      summariseEngine(
        name,
        trials.filter((trial) => trial.engine === name),
      ),
    ),
    ratios: others.map((base) => ({
      base,
      ...spread(roundRatios(trials, first, base)),
      cpu: spread(roundRatios(trials, first, base, 'cpuRate')),
    })),
  };
}

function summariseEngine(engine, trials) {
  const keys = Object.keys(trials[0].quality);
  return {
    engine,
    rate: spread(trials.map((trial) => trial.rate)),
    cpuRate: spread(trials.map((trial) => trial.cpuRate)),
    peakRssMiB: spread(trials.map((trial) => trial.peakRssMiB)),
    quality: Object.fromEntries(keys.map((key) => [key, spread(trials.map((trial) => trial.quality[key]))])),
  };
}

/**
 * Sentences about quality that should be the same for all engines and rounds, and is not.
 * @param {string[]} keys what has to agree
 */
export function disagreements(trials, keys) {
  return keys.flatMap((key) => {
    const values = new Set(trials.map((trial) => trial.quality[key]));
    if (values.size === 1 && !values.has(undefined)) return [];
    const found = trials.map((trial) => `${trial.engine} ${trial.quality[key]} (round ${trial.round + 1})`);
    return [`${key} differs: ${found.join(', ')}`];
  });
}
