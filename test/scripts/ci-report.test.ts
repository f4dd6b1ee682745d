import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/ci-report.mjs', import.meta.url));

function file(name: string, tests: Record<string, string>, status = 'passed', message = '') {
  const assertionResults = Object.entries(tests).map(([fullName, each]) => ({ fullName, status: each }));
  return { name: path.resolve(name), status, message, assertionResults };
}

/** What the script prints for these test files, or without any report. */
function report(testResults: object[] | undefined, ...failedSteps: string[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-ci-'));
  try {
    const target = path.join(folder, 'report.json');
    if (testResults) writeFileSync(target, JSON.stringify({ testResults }));
    const run = spawnSync(process.execPath, [SCRIPT, target, ...failedSteps], { encoding: 'utf8' });
    return { exitCode: run.status, lines: run.stdout.trim().split('\n') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('ci-report', () => {
  it('counts what passed and leaves skipped tests out', () => {
    const result = report([file('test/a.test.ts', { one: 'passed', two: 'passed', three: 'pending' })]);
    expect(result).toEqual({ exitCode: 0, lines: ['2 passed, 0 failed'] });
  });

  it('names failing tests, and does not count the step that they fail', () => {
    const result = report([file('test/a.test.ts', { one: 'passed', two: 'failed' }, 'failed')], 'npm test');
    expect(result).toEqual({ exitCode: 1, lines: ['FAILED test/a.test.ts > two', '1 passed, 1 failed'] });
  });

  it('counts a file that could not be collected', () => {
    const result = report([file('test/a.test.ts', {}, 'failed', 'SyntaxError: x\n  at y')], 'npm test');
    expect(result).toEqual({
      exitCode: 1,
      lines: ['FAILED test/a.test.ts: SyntaxError: x', '0 passed, 1 failed'],
    });
  });

  it('blames a step that failed with all tests green', () => {
    const result = report([file('test/a.test.ts', { one: 'passed' })], 'npm test', 'bench smoke');
    expect(result).toEqual({
      exitCode: 1,
      lines: ['FAILED step failed: npm test', 'FAILED step failed: bench smoke', '1 passed, 2 failed'],
    });
  });

  it('fails without a report and without a test', () => {
    expect(report(undefined, 'npm ci')).toEqual({
      exitCode: 1,
      lines: ['FAILED step failed: npm ci', '0 passed, 1 failed'],
    });
    expect(report(undefined)).toEqual({ exitCode: 1, lines: ['FAILED no test ran', '0 passed, 1 failed'] });
    expect(report([file('test/a.test.ts', { one: 'skipped' })]).exitCode).toBe(1);
  });
});
