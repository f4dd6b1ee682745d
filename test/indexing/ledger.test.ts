import { describe, expect, it } from 'vitest';
import { Ledger, LISTED_SKIPS } from '../../src/indexing/ledger.js';
import { progressOf, reportOf } from '../../src/indexing/report.js';

describe('Ledger', () => {
  it('counts every skip by code but lists a bounded number', () => {
    const ledger = new Ledger();
    for (let i = 0; i < LISTED_SKIPS + 5; i++) {
      ledger.skip({ source: `f${i}`, error: { code: 'SLUICE_FILE_BINARY', message: 'binary', details: {} } });
    }
    expect(ledger.skipped).toHaveLength(LISTED_SKIPS);
    expect(ledger.counts.skipped).toBe(LISTED_SKIPS + 5);
    expect(ledger.skippedByCode.get('SLUICE_FILE_BINARY')).toBe(LISTED_SKIPS + 5);
  });

  it('gives shares that sum to one, and zeros before anything is spent', () => {
    const ledger = new Ledger();
    expect(Object.values(ledger.shares())).toEqual([0, 0, 0, 0, 0]);
    ledger.spend({ embed: 30, store: 10 });
    expect(ledger.shares()).toMatchObject({ embed: 0.75, store: 0.25 });
  });
});

describe('progressOf', () => {
  it('tells an ETA only when the total is known', () => {
    const ledger = new Ledger();
    ledger.add({ bytesDone: 250, chunks: 10 });
    expect(progressOf(ledger, 'indexing', 10_000, { bytes: 1_000, complete: false }).etaMs).toBeNull();
    expect(progressOf(ledger, 'indexing', 10_000, { bytes: 1_000, complete: true }).etaMs).toBe(30_000);
  });
});

describe('reportOf', () => {
  it('is plain data', () => {
    const report = reportOf(new Ledger(), 1_000, {
      generation: 7,
      interrupted: false,
      eventLoop: { p99Ms: 0, maxMs: 0, resolutionMs: 10 },
    });
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    expect(report.generation).toBe(7);
  });
});
