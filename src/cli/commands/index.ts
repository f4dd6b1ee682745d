import { Command, Option } from 'commander';
import { SluiceError } from '../../errors.js';
import type { IndexReport } from '../../indexing/index.js';
import type { ReembedReport } from '../../reembed-run.js';
import { EXIT } from '../exit-codes.js';
import { collected, type IndexFolderOptions, wholeNumber, withCommonOptions } from '../options.js';
import { bytes, count, describeError, duration, fail, note, percent, print, printJson } from '../output.js';
import { indexLine, type ProgressStyle, progressView } from '../progress.js';
import { reembed } from '../reembedding.js';

interface IndexCommandOptions extends IndexFolderOptions {
  model?: string;
  reembed?: boolean;
  include?: string[];
  exclude?: string[];
  hidden?: boolean;
  strategy?: 'auto' | 'structure' | 'window' | 'whole';
  preset?: 'model' | 'cl100k-500-75';
  limit?: number;
  overlap?: number;
  threads?: number;
  maxFileMb?: number;
  progress: ProgressStyle;
}

const LISTED_SKIPS = 20;

export function indexCommand(): Command {
  return withCommonOptions(new Command('index'))
    .description('index files and folders, or bring an index up to date')
    .argument('[paths...]', 'files or folders: Markdown, HTML, text, source code, JSONL (also .gz)')
    .option(
      '--model <name-or-folder>',
      'embedding model: a name in the package or a folder with an ONNX export',
    )
    .option('--reembed', 'first make all vectors anew with --model, if they are of another one')
    .option('--include <glob>', 'only paths that match (repeatable)', collected)
    .option('--exclude <glob>', 'no paths that match (repeatable)', collected)
    .option('--hidden', 'hidden files and folders too')
    .addOption(
      new Option('--strategy <name>', 'how to cut').choices(['auto', 'structure', 'window', 'whole']),
    )
    .addOption(new Option('--preset <name>', 'named chunk sizes').choices(['model', 'cl100k-500-75']))
    .option('--limit <tokens>', 'most tokens of a chunk', wholeNumber(1))
    .option('--overlap <tokens>', 'tokens that neighbouring windows share', wholeNumber(0))
    .option('--threads <n>', 'cores to use (default: all that this process may use)', wholeNumber(1))
    .option('--max-file-mb <n>', 'skip larger files; JSONL has no limit', wholeNumber(1))
    .addOption(
      new Option('--progress <style>', 'how to show progress')
        .choices(['auto', 'bar', 'lines', 'none'])
        .default('auto'),
    )
    .addHelpText(
      'after',
      `
Examples:
  sluice index docs/
  sluice index docs/ --exclude '**/drafts/**' --index ./docs.idx
  sluice index corpus.jsonl.gz --preset cl100k-500-75
  sluice index --reembed --model ./models/bge-small-en

.gitignore is respected below the paths that you name. Running again takes only what is new or changed; what
vanished is removed. Ctrl-C leaves a usable index, and running again goes on.

--reembed changes the model of an index: chunks stay as they are, searches use the old vectors until all new ones are
there, and a run that was stopped goes on when it is started again with the same model.`,
    )
    .action(run);
}

async function run(paths: string[], options: IndexCommandOptions): Promise<void> {
  const view = progressView(
    options.json && options.progress === 'auto' && !process.stderr.isTTY ? 'none' : options.progress,
  );
  const stop = stopOnInterrupt(() => view.end());
  try {
    if (paths.length === 0 && !options.reembed) {
      throw new SluiceError('SLUICE_USAGE', 'name files or folders to index', { hint: 'sluice index docs/' });
    }
    // Loaded here, so that --help and usage errors don't wait for the native parts.
    const { openIndex } = await import('../../open-index.js');
    const index = await openIndex(options.index, {
      // With --reembed the model is the one to change to, which the index would refuse to be opened with.
      ...(options.reembed ? { create: false } : options.model && { model: options.model }),
      ...(options.threads && { threads: options.threads }),
      chunking: {
        ...(options.strategy && { strategy: options.strategy }),
        ...(options.preset && { preset: options.preset }),
        ...(options.limit && { limitTokens: options.limit }),
        ...(options.overlap !== undefined && { overlapTokens: options.overlap }),
      },
    });
    try {
      const reembedded = options.reembed ? await reembed(index, options, stop.signal, view) : undefined;
      if (paths.length === 0) {
        if (options.json) printJson(reembedded);
        return;
      }
      const added = index.add(paths, {
        ...(options.include && { include: options.include }),
        ...(options.exclude && { exclude: options.exclude }),
        ...(options.hidden && { hidden: true }),
        ...(options.maxFileMb && { maxFileBytes: options.maxFileMb * 1_000_000 }),
        signal: stop.signal,
      });
      for await (const progress of added.progress(view.everyMs)) view.show(indexLine(progress));
      view.end();
      finish(await added, options, reembedded);
    } finally {
      view.end();
      await index.close();
    }
  } catch (error) {
    const report = interruptedReport(error);
    if (report) finish(report, options);
    else fail(error, options);
  } finally {
    stop.dispose();
  }
}

/**
 * The first Ctrl-C asks the run to stop; a second one ends the process at once, which the index survives too. It ends
 * by the signal itself: process.exit would tear down workers in the middle of native code, which aborts the process.
 */
function stopOnInterrupt(beforeEnd: () => void): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      dispose();
      beforeEnd();
      process.kill(process.pid, signal);
      return;
    }
    note('\nstopping: finishing what is under way (Ctrl-C again to stop at once)');
    controller.abort();
  };
  const dispose = () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { signal: controller.signal, dispose };
}

function interruptedReport(error: unknown): IndexReport | undefined {
  if (!SluiceError.is(error) || error.code !== 'SLUICE_ABORTED') return undefined;
  const report = error.details.report as IndexReport | ReembedReport | undefined;
  return report !== undefined && 'filesSeen' in report ? report : undefined;
}

function finish(report: IndexReport, options: IndexCommandOptions, reembedded?: ReembedReport): void {
  if (report.interrupted) process.exitCode = EXIT.interrupted;
  else if (report.skipped > 0) process.exitCode = EXIT.partial;
  if (options.json) printJson({ ...report, ...(reembedded && { reembedded }) });
  else printReport(report, options.index);
}

function printReport(report: IndexReport, folder: string): void {
  print(`${report.interrupted ? 'Interrupted' : 'Indexed'} into ${folder} in ${duration(report.elapsedMs)}`);
  print(
    `  files     ${count(report.filesSeen)} seen: ${count(report.filesDone)} read, ${count(report.filesUnchanged)} unchanged, ` +
      `${count(report.filesFailed)} failed; ${count(report.filesIgnored)} of other formats, ${count(report.filesRemoved)} removed`,
  );
  print(
    `  documents ${count(report.documents)} added, ${count(report.documentsUnchanged)} unchanged, ${count(report.documentsRemoved)} removed`,
  );
  print(
    `  chunks    ${count(report.chunks)} (${bytes(report.bytesDone)} read); ${report.chunksPerSecond.toFixed(0)} chunks/s, ${count(report.tokensPerSecond)} tokens/s`,
  );
  const { embed, tokenize, store, read, chunk } = report.stageShares;
  print(
    `  time      embed ${percent(embed)}, tokenize ${percent(tokenize)}, read ${percent(read)}, chunk ${percent(chunk)}, store ${percent(store)}`,
  );
  if (report.pooledChunks > 0)
    print(`  pooled    ${count(report.pooledChunks)} chunks over the model's window, by windows`);
  if (report.eventLoop) {
    const { p99Ms, resolutionMs } = report.eventLoop;
    print(
      `  loop      event-loop delay p99 ${p99Ms.toFixed(1)} ms (its resolution of ${resolutionMs} ms subtracted)`,
    );
  }
  if (report.skipped === 0) return;
  print(`  skipped   ${count(report.skipped)}`);
  for (const { source, error } of report.skippedItems.slice(0, LISTED_SKIPS))
    print(`    ${source}: ${describeError(error)}`);
  if (report.skipped > LISTED_SKIPS)
    print(`    … and ${count(report.skipped - LISTED_SKIPS)} more; --json lists them`);
}
