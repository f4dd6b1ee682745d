import type { AuditReport, ChunkSizes } from '../audit/index.js';
import { bytes, count, counted, describeError, duration, percent, print, printable } from './output.js';

const LISTED = 20;
const BAR_CHARS = 40;

/** What an audit found, for people. */
export function printAudit(report: AuditReport): void {
  const { elapsedMs, bytesPerSecond, peakMemoryBytes, threads } = report;
  print(
    `Audited ${counted(report.documents, 'document')} with ${counted(report.chunks, 'chunk')} in ${duration(elapsedMs)} ` +
      `(${bytes(report.bytesDone)}, ${bytes(bytesPerSecond)}/s on ${counted(threads, 'thread')}, at most ${bytes(peakMemoryBytes)} of memory)`,
  );
  print(
    `  files      ${count(report.filesSeen)} seen: ${count(report.filesDone)} read, ${count(report.filesFailed)} failed; ${count(report.filesIgnored)} of other formats`,
  );
  for (const [format, { documents, chunks }] of Object.entries(report.byFormat))
    print(`    ${format.padEnd(9)} ${counted(documents, 'document')}, ${counted(chunks, 'chunk')}`);
  print(
    `  text       ${count(report.chars)} characters that are not white space, ${count(report.frontMatterChars)} of them front matter`,
  );
  if (report.chunks > 0) printSizes(report.sizes);
  if (report.overLimit > 0) print(`  over limit ${counted(report.overLimit, 'chunk')}, flagged`);
  printRepeated(report);
  printOrphaned(report);
  printDropped(report);
  printViolations(report);
  printSkipped(report);
}

function printSizes({ smallest, mean, p50, p90, p99, largest, limitTokens, histogram }: ChunkSizes): void {
  print(
    `  tokens     ${smallest} to ${largest} of ${limitTokens}, mean ${mean.toFixed(0)}, median ${p50}, 90% up to ${p90}, 99% up to ${p99}`,
  );
  const most = Math.max(...histogram.map(({ chunks }) => chunks));
  for (const { overTokens, upToTokens, chunks } of histogram) {
    if (upToTokens === null && chunks === 0) continue;
    const range = upToTokens === null ? `over ${overTokens}` : `${overTokens + 1}-${upToTokens}`;
    const bar = '█'.repeat(Math.ceil((chunks / most) * BAR_CHARS));
    print(`    ${range.padStart(9)} ${bar.padEnd(BAR_CHARS)} ${count(chunks)}`);
  }
}

function printRepeated({ repeated }: AuditReport): void {
  if (repeated.chunks === 0) return;
  print(
    `  repeated   ${repeated.exact ? '' : 'about '}${counted(repeated.chunks, 'chunk')} (${percent(repeated.share)}) with a text that another has`,
  );
  for (const { document, line, chunks } of repeated.most.slice(0, 3))
    print(`    ${count(chunks)} times the text at ${printable(document)}:${line}`);
}

function printOrphaned({ orphaned }: AuditReport): void {
  if (orphaned.chunks === 0) return;
  print(
    `  orphaned   ${counted(orphaned.chunks, 'chunk')} (${(orphaned.share * 100).toFixed(1)}%) that open by pointing at the one before, such as`,
  );
  for (const { document, line } of orphaned.examples.slice(0, 3)) print(`    ${printable(document)}:${line}`);
}

function printDropped({ dropped }: AuditReport): void {
  if (dropped.byReason.length === 0) return;
  print(
    `  dropped    ${percent(dropped.textShare)} of all text by readers; too much of ${counted(dropped.failed, 'document')}`,
  );
  for (const { reason, chars, documents, isText } of dropped.byReason)
    print(
      `    ${count(chars)} characters of ${counted(documents, 'document')}: ${reason}${isText ? '' : ' (no text)'}`,
    );
  if (dropped.worst.length > 0) print('    most of its text lost');
  for (const { document, share, reason, fails } of dropped.worst.slice(0, dropped.failed > 0 ? LISTED : 3))
    print(`      ${percent(share)} ${printable(document)}: ${reason}${fails ? ', too much' : ''}`);
}

function printViolations({ violations }: AuditReport): void {
  if (violations.total === 0) {
    print('  violations none');
    return;
  }
  const byRule = Object.entries(violations.byRule).map(([rule, times]) => `${rule} ${count(times)}`);
  print(`  violations ${count(violations.total)}: ${byRule.join(', ')}`);
  for (const { document, line, rule, found } of violations.listed.slice(0, LISTED))
    print(`    ${printable(document)}:${line}: ${rule}: ${printable(found)}`);
  if (violations.total > LISTED)
    print(`    … and ${count(violations.total - LISTED)} more; --json lists a thousand`);
}

function printSkipped({ skipped, skippedItems }: AuditReport): void {
  if (skipped === 0) return;
  print(`  skipped    ${count(skipped)}`);
  for (const { source, error } of skippedItems.slice(0, LISTED))
    print(`    ${printable(source)}: ${describeError(error)}`);
  if (skipped > LISTED) print(`    … and ${count(skipped - LISTED)} more; --json lists them`);
}
