import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { load } from './load.js';

const { CASES } = await load('peers/cases.mjs');
const { caseReport } = await load('peers/case-report.mjs');

const inPeers = (file: string) => fileURLToPath(new URL(`../../bench/peers/${file}`, import.meta.url));

describe('cases', () => {
  it('have names of their own, and Sluice and its peers with Sluice first', () => {
    const names = CASES.map(({ name }: { name: string }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { engines } of CASES) {
      expect(Object.keys(engines)[0]).toBe('sluice');
      expect(Object.keys(engines).length).toBeGreaterThanOrEqual(2);
    }
  });

  it('name corpora and adapters that exist', () => {
    for (const { corpus, engines } of CASES) {
      const files = [
        corpus.module,
        ...Object.values(engines as Record<string, { adapter: string }>).map((e) => e.adapter),
      ];
      expect(files.filter((file) => !existsSync(inPeers(file)))).toEqual([]);
    }
  });
});

describe('caseReport', () => {
  const engine = (name: string, rate: number) => ({
    engine: name,
    rate: { median: rate, min: rate - 1, max: rate + 1 },
    cpuRate: { median: rate / 2, min: 1, max: rate },
    peakRssMiB: { median: 200, min: 190, max: 210 },
    quality: { 'recall@10': { median: 0.971, min: 0.97, max: 0.98 } },
  });
  const selected = {
    name: 'made-up',
    question: 'How fast?',
    unit: 'rows',
    corpus: { model: 'nothing', seed: 7 },
    sizeOf: 'rows',
    engines: { sluice: { note: 'ours' }, peer: { note: 'theirs' } },
  };
  const result = {
    size: 10,
    rounds: 3,
    engines: [engine('sluice', 1534), engine('peer', 696)],
    ratios: [{ base: 'peer', median: 2.204, min: 2.1, max: 2.3, cpu: { median: 2.25, min: 2.2, max: 2.3 } }],
    between: { 'mean cosine': 0.99999 },
    disagreements: ['tokens differs: sluice 5 (round 1), peer 6 (round 1)'],
  };

  it('prints speed with quality and memory beside it', () => {
    expect(caseReport(selected, result).split('\n')).toEqual([
      '### made-up',
      '',
      'How fast? Corpus: nothing; size 10 (rows), seed 7.',
      '',
      '| engine | rows/s |     min–max | rows/CPU s | recall@10 | peak RSS MiB | how    |',
      '| ------ | -----: | ----------: | ---------: | --------: | -----------: | ------ |',
      '| sluice |  1,534 | 1,533–1,535 |        767 |     0.971 |          200 | ours   |',
      '| peer   |    696 |     695–697 |        348 |     0.971 |          200 | theirs |',
      '',
      'sluice : peer = 2.20 (median of 3 rounds, 2.10–2.30); by CPU time 2.25',
      'mean cosine: 0.99999',
      'NOT EQUAL: tokens differs: sluice 5 (round 1), peer 6 (round 1)',
    ]);
  });
});

describe('run.mjs', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [inPeers('run.mjs'), ...args], { encoding: 'utf8' });

  it('names the cases when one is unknown', () => {
    const { status, stderr } = run('--case', 'nope');
    expect(status).toBe(1);
    const names = CASES.map(({ name }: { name: string }) => name);
    expect(stderr).toContain(`there is no case 'nope': ${names.join(', ')}`);
  });

  it('refuses a number of rounds that is none', () => {
    const { status, stderr } = run('--rounds', '0');
    expect(status).toBe(1);
    expect(stderr).toContain("--rounds takes a whole number from 1, not '0'");
  });
});
