import { Command } from 'commander';
import type { AuditProgress, AuditReport } from '../../audit/index.js';
import type { AuditOptions } from '../../audit-folder.js';
import { SluiceError, toErrorRecord } from '../../errors.js';
import { printAudit } from '../audit-report.js';
import { type ChunkingOptions, chunkingOf, withChunkingOptions } from '../chunking-options.js';
import { EXIT } from '../exit-codes.js';
import { stopOnInterrupt } from '../interrupt.js';
import { collected, wholeNumber } from '../options.js';
import { bytes, count, counted, duration, fail, note, printJson } from '../output.js';
import { type ProgressLine, progressView } from '../progress.js';

interface AuditCommandOptions extends ChunkingOptions {
  model?: string;
  include?: string[];
  exclude?: string[];
  hidden?: boolean;
  threads?: number;
  maxFileMb?: number;
  encoding?: string;
  sample?: number;
  mostDropped?: number;
  json?: boolean;
}

export function auditCommand(): Command {
  return withChunkingOptions(new Command('audit'))
    .description('prove on your own documents that cutting loses nothing, without making an index')
    .argument('<paths...>', 'files or folders, as `sluice index` takes them')
    .option('--json', 'print JSON on stdout')
    .option('--sample <files>', 'only so many files, spread over all of them', wholeNumber(1))
    .option('--most-dropped <percent>', 'of the text of a file (default: 30)', wholeNumber(0, 100))
    .option('--model <name-or-folder>', 'embedding model whose window chunks must fit')
    .option('--include <glob>', 'only paths that match (repeatable)', collected)
    .option('--exclude <glob>', 'no paths that match (repeatable)', collected)
    .option('--hidden', 'hidden files and folders too')
    .option('--threads <n>', 'cores to use (default: all that this process may use)', wholeNumber(1))
    .option('--max-file-mb <n>', 'skip larger files; JSONL has no limit', wholeNumber(1))
    .option('--encoding <label>', "of files whose bytes don't tell it, such as gbk (default: guessed)")
    .addHelpText(
      'after',
      `
Examples:
  sluice audit docs/
  sluice audit docs/ --strategy window --limit 128
  sluice audit corpus/ --sample 500 --json

Every document is read and cut as 'sluice index' would, then looked at: all of its text lies in some chunk; every chunk
is a span of the text, holds some, cuts no character, has the tokens that it says and is not over its limit unless it is
flagged. Sizes, repeated texts, chunks that lean on a neighbour and what readers dropped are counted. docs/audit.md in
the package says what each figure means.

Exit status 0: no chunk breaks a rule, and no file lost more of its text than --most-dropped; 1: one does; 3: all is
well, but something could not be read and was skipped.`,
    )
    .action(run);
}

async function run(paths: string[], options: AuditCommandOptions): Promise<void> {
  const view = progressView(options.json && !process.stderr.isTTY ? 'none' : 'lines');
  const stop = stopOnInterrupt(() => view.end());
  let shownAt = performance.now();
  const onProgress = (progress: AuditProgress) => {
    if (performance.now() - shownAt < view.everyMs) return;
    shownAt = performance.now();
    view.show(lineOf(progress));
  };
  try {
    // Loaded here, so that --help and usage errors don't wait for the native parts.
    const { auditFolder } = await import('../../audit-folder.js');
    const report = await auditFolder(paths, { ...auditOptions(options), signal: stop.signal, onProgress });
    view.end();
    finish(report, options);
  } catch (error) {
    view.end();
    fail(error, options);
  } finally {
    stop.dispose();
  }
}

function auditOptions(options: AuditCommandOptions): AuditOptions {
  return {
    ...chunkingOf(options),
    ...(options.model && { model: options.model }),
    ...(options.include && { include: options.include }),
    ...(options.exclude && { exclude: options.exclude }),
    ...(options.hidden && { hidden: true }),
    ...(options.threads && { threads: options.threads }),
    ...(options.maxFileMb && { maxFileBytes: options.maxFileMb * 1_000_000 }),
    ...(options.encoding && { encoding: options.encoding }),
    ...(options.sample && { sample: options.sample }),
    ...(options.mostDropped !== undefined && { maxDroppedShare: options.mostDropped / 100 }),
  };
}

function finish(report: AuditReport, options: AuditCommandOptions): void {
  const error = failureOf(report);
  if (error) process.exitCode = EXIT.failed;
  else if (report.skipped > 0) process.exitCode = EXIT.partial;
  if (options.json) {
    printJson({ ...report, ...(error && { error: toErrorRecord(error) }) });
    return;
  }
  printAudit(report);
  if (error) note(`sluice: ${error.message} [${error.code}]`);
}

function failureOf({ clean, violations, dropped, documents }: AuditReport): SluiceError | undefined {
  if (clean) return undefined;
  const broken = violations.total > 0 ? [counted(violations.total, 'broken rule')] : [];
  const lost = dropped.failed > 0 ? [`${counted(dropped.failed, 'document')} with much text dropped`] : [];
  return new SluiceError(
    'SLUICE_AUDIT_FAILED',
    `${[...broken, ...lost].join(' and ')} among ${counted(documents, 'document')}`,
    {
      hint:
        violations.total > 0
          ? 'a broken rule is a fault of Sluice, or of your own reader or chunker: please report it with the document'
          : 'look whether what was dropped is worth finding; --most-dropped sets how much is too much',
      details: { violations: violations.total, dropped: dropped.failed },
    },
  );
}

function lineOf({
  documents,
  chunks,
  violations,
  bytesDone,
  elapsedMs,
  filesDone,
}: AuditProgress): ProgressLine {
  const rate = bytesDone / Math.max(elapsedMs / 1_000, 0.001);
  const detail = `${count(filesDone)} files | ${count(documents)} documents | ${count(chunks)} chunks | ${bytes(rate)}/s | ${counted(violations, 'violation')}`;
  return { done: bytesDone, total: bytesDone, share: duration(elapsedMs), detail };
}
