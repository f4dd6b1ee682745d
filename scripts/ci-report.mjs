/**
 * The last lines of a CI run: what failed, then `N passed, N failed`.
 *
 *   node scripts/ci-report.mjs <vitest JSON report> [step that failed]...
 *
 * Counts tests, and as one failure each: a test file that could not be collected, and a step that failed without any
 * test to blame. Exits 1 if anything failed or if no test ran.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const [reportFile, ...failedSteps] = process.argv.slice(2);
const report = readReport(reportFile);
const tests = report.testResults.flatMap((file) =>
  file.assertionResults.map((test) => ({ ...test, file: file.name })),
);
const passed = tests.filter((test) => test.status === 'passed').length;
const failures = [
  ...tests
    .filter((test) => test.status === 'failed')
    .map((test) => `${relative(test.file)} > ${test.fullName}`),
  ...report.testResults
    .filter(brokeWithoutTest)
    .map((file) => `${relative(file.name)}: ${firstLine(file.message)}`),
];
// "npm test" fails because a test does: that is one failure, not two.
const blamed = failedSteps.filter((step) => !(step === 'npm test' && failures.length > 0));
failures.push(...blamed.map((step) => `step failed: ${step}`));
if (tests.length === 0 && failures.length === 0) failures.push('no test ran');

for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0;

function readReport(file) {
  if (file === undefined)
    throw new Error('usage: node scripts/ci-report.mjs <vitest JSON report> [failed step]...');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [] };
}

function brokeWithoutTest(file) {
  return file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed');
}

function firstLine(text) {
  return (text ?? '').split('\n')[0] || 'could not be collected';
}

function relative(file) {
  return path.relative(process.cwd(), file);
}
