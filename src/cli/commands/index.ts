import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { SluiceError } from '../../errors.js';
import type { AddOptions, IndexReport } from '../../indexing/index.js';
import type { OpenIndexOptions } from '../../open-options.js';
import type { ReembedReport } from '../../reembed-run.js';
import type { SluiceIndex } from '../../sluice-index.js';
import { type ChunkingOptions, chunkingOf, withChunkingOptions } from '../chunking-options.js';
import {
  type ContextCommandOptions,
  contextOf,
  priced,
  printEstimate,
  withContextOptions,
} from '../context-options.js';
import { EXIT } from '../exit-codes.js';
import { withCommandHints } from '../hints.js';
import { printReport } from '../index-report.js';
import { stopOnInterrupt } from '../interrupt.js';
import { collected, type IndexFolderOptions, wholeNumber, withCommonOptions } from '../options.js';
import { fail, printJson } from '../output.js';
import { indexLine, type ProgressStyle, type ProgressView, progressView } from '../progress.js';
import { reembed } from '../reembedding.js';
import { watchPaths } from '../watch.js';

interface IndexCommandOptions extends IndexFolderOptions, ChunkingOptions, ContextCommandOptions {
  model?: string;
  reembed?: boolean;
  include?: string[];
  exclude?: string[];
  hidden?: boolean;
  links?: number;
  effort?: number;
  precision?: 'int8' | 'float32';
  storedVectors?: 'float32' | 'float16';
  threads?: number;
  maxFileMb?: number;
  encoding?: string;
  watch?: boolean;
  progress: ProgressStyle;
}

const HINTS = {
  SLUICE_PASSPORT_MISMATCH:
    'leave out --model and what says how to cut, but name the --chunker, --reader and --context that the index was made with; change its model by --reembed --model, or name another folder by --index',
};

export function indexCommand(): Command {
  return withContextOptions(withChunkingOptions(withCommonOptions(new Command('index'))))
    .description('index files and folders, or bring an index up to date')
    .argument(
      '[paths...]',
      'files or folders: Markdown, HTML, PDF, Word, CSV, JSON, notebooks, text, source code, JSONL (also .gz) and more',
    )
    .option(
      '--model <name-or-folder>',
      'embedding model: a name in the package or a folder with an ONNX export',
    )
    .option('--reembed', 'first make all vectors anew with --model, if they are of another one')
    .option('--include <glob>', 'only paths that match (repeatable)', collected)
    .option('--exclude <glob>', 'no paths that match (repeatable)', collected)
    .option('--hidden', 'hidden files and folders too')
    .option('--links <n>', "links per node of the graph, HNSW's M (16 at first)", wholeNumber(2, 100))
    .option(
      '--effort <n>',
      'candidates for each vector that goes into the graph, efConstruction (200 at first)',
      wholeNumber(1),
    )
    .addOption(
      new Option('--precision <form>', 'numbers in the graph (int8 at first)').choices(['int8', 'float32']),
    )
    .addOption(
      new Option('--stored-vectors <form>', 'numbers in the database (float32 at first)').choices([
        'float32',
        'float16',
      ]),
    )
    .option('--threads <n>', 'cores to use (default: all that this process may use)', wholeNumber(1))
    .option('--max-file-mb <n>', 'skip larger files; JSONL has no limit', wholeNumber(1))
    .option('--encoding <label>', "of files whose bytes don't tell it, such as gbk (default: guessed)")
    .option('--watch', 'go on: index again after each change, until Ctrl-C')
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
  sluice index docs/ --watch                  a line for each run; with --json a JSON line
  sluice index corpus.jsonl.gz --preset cl100k-500-75
  sluice index --reembed --model ./models/bge-small-en
  sluice index docs/ --links 32 --effort 400 --stored-vectors float16

.gitignore is respected below the paths that you name. Running again takes only what is new or changed; what
vanished is removed; text that was embedded before, here or elsewhere, is not embedded again. Ctrl-C leaves
a usable index, and running again goes on.

--reembed changes the model of an index: chunks stay as they are, searches use the old vectors until all new ones are
there, and a run that was stopped goes on when it is started again with the same model. With paths it goes on to index
them, and with --watch to watch them.

The graph comes with the 50,000th chunk; below, vectors are compared one by one. More --links find more in data of many
dimensions, for 8 bytes a link and vector; more --effort makes a better graph of the same size; both make building
slower in proportion. --precision float32 takes four times the memory of int8, for a file that hnswlib opens, and finds no
more. --stored-vectors float16 halves the vectors on disk and keeps three digits of each number. Each may be changed
at any time and stays until it is changed again: another graph than the one that is there is built anew at the end of the
run, and other numbers in the database hold for what is added from then on.

--context puts a line before each chunk, in what models and the keyword index read; docs/contextual.md in the package says
what it gives. Answers of an endpoint are kept and never asked for again; --estimate asks nothing.

--watch ends by Ctrl-C: with exit status 0 while it waits, and 130 where it cut a run off.`,
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
    if (paths.length === 0 && options.watch) {
      throw new SluiceError('SLUICE_USAGE', '--watch wants files or folders to watch', {
        hint: 'sluice index docs/ --reembed --watch',
      });
    }
    const context = contextOf(options);
    if (options.estimate) return await estimate(paths, options, stop.signal);
    // Loaded here, so that --help and usage errors don't wait for the native parts.
    const { openIndex } = await import('../../open-index.js');
    if (!existsSync(join(options.index, 'sluice.db'))) {
      // A slip of the finger makes no index.
      const { requirePaths } = await import('../../indexing/index.js');
      await requirePaths(paths);
    }
    const index = await withCommandHints(HINTS, () =>
      openIndex(options.index, { ...openOptions(options), ...context }),
    );
    try {
      await withCommandHints(HINTS, () => indexInto(index, paths, options, view, stop.signal));
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

function openOptions(options: IndexCommandOptions): OpenIndexOptions {
  return {
    // With --reembed the model is the one to change to, which the index would refuse to be opened with.
    ...(options.reembed ? { create: false } : options.model && { model: options.model }),
    ...(options.threads && { threads: options.threads }),
    ...(options.encoding && { encoding: options.encoding }),
    ...(options.storedVectors && { storedVectors: options.storedVectors }),
    graph: {
      ...(options.links && { links: options.links }),
      ...(options.effort && { effort: options.effort }),
      ...(options.precision && { precision: options.precision }),
    },
    ...chunkingOf(options),
  };
}

/** Nothing is indexed and nothing is asked. */
async function estimate(paths: string[], options: IndexCommandOptions, signal: AbortSignal): Promise<void> {
  const { estimateContext } = await import('../../context-estimate.js');
  const { create, ...open } = openOptions(options);
  const counts = await estimateContext(
    paths,
    { ...open, ...contextOf(options) },
    { ...addOptions(options), signal },
  );
  const estimated = priced(counts, options);
  if (options.json) printJson(estimated);
  else printEstimate(estimated);
}

/** First the vectors anew where that was asked for, then the paths, once or as long as they are watched. */
async function indexInto(
  index: SluiceIndex,
  paths: string[],
  options: IndexCommandOptions,
  view: ProgressView,
  signal: AbortSignal,
): Promise<void> {
  const reembedded = options.reembed ? await reembed(index, options, signal, view) : undefined;
  if (paths.length === 0) {
    if (options.json) printJson(reembedded);
    return;
  }
  const how: AddOptions = { ...addOptions(options), signal };
  if (options.watch) {
    // A line of its own, as every run has one.
    if (options.json && reembedded) process.stdout.write(`${JSON.stringify({ reembedded })}\n`);
    return watchPaths(index, paths, how, view, options);
  }
  const added = index.add(paths, how);
  for await (const progress of added.progress(view.everyMs)) view.show(indexLine(progress));
  view.end();
  finish(await added, options, reembedded);
}

function addOptions({ include, exclude, hidden, maxFileMb }: IndexCommandOptions): AddOptions {
  return {
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(hidden && { hidden: true }),
    ...(maxFileMb && { maxFileBytes: maxFileMb * 1_000_000 }),
  };
}

function interruptedReport(error: unknown): IndexReport | undefined {
  if (!SluiceError.is(error) || error.code !== 'SLUICE_ABORTED') return undefined;
  const report = error.details.report as IndexReport | ReembedReport | undefined;
  return report !== undefined && 'filesSeen' in report ? report : undefined;
}

function finish(report: IndexReport, options: IndexCommandOptions, reembedded?: ReembedReport): void {
  if (report.interrupted) process.exitCode = EXIT.interrupted;
  else if (report.skipped > 0 || report.contexts.missing > 0) process.exitCode = EXIT.partial;
  if (options.json) printJson({ ...report, ...(reembedded && { reembedded }) });
  else printReport(report, options.index);
}
