import { Command } from 'commander';
import { SluiceError } from '../../errors.js';
import {
  type EvaluationReport,
  evaluate,
  readQrels,
  readQueries,
  renderTable,
  standardConfigurations,
} from '../../evaluation/index.js';
import { collected, type IndexFolderOptions, wholeNumber, withCommonOptions } from '../options.js';
import { fail, note, print, printJson } from '../output.js';

interface EvalCommandOptions extends IndexFolderOptions {
  queries: string;
  qrels: string;
  configuration?: string[];
  k?: number[];
  shortlist?: number;
  perQuery?: boolean;
}

const PROGRESS_EVERY_MS = 5_000;

export function evalCommand(): Command {
  return withCommonOptions(new Command('eval'))
    .description('measure how good the answers are: nDCG, recall and MRR over judged queries')
    .requiredOption('--queries <file>', 'BEIR queries: JSON lines with _id and text (also .gz)')
    .requiredOption(
      '--qrels <file>',
      'judgements: query-id, document id, grade, tab-separated (also TREC, also .gz)',
    )
    .option(
      '--configuration <name>',
      'keywords, vectors, fused, fused+rerank or fused+auto (repeatable; default: all)',
      collected,
    )
    .option(
      '-k <n>',
      'cut-off of the metrics (repeatable; default 10 and 100)',
      (value, before: number[] = []) => [...before, wholeNumber(1)(value)],
    )
    .option('--shortlist <n>', 'candidates that the reranker reads (default 20)', wholeNumber(1))
    .option('--per-query', 'metrics and ranking of every query, with --json')
    .addHelpText(
      'after',
      `
Examples:
  sluice index corpus.jsonl.gz && sluice eval --queries queries.jsonl.gz --qrels qrels.tsv.gz
  sluice eval --queries q.jsonl --qrels test.tsv --configuration fused --json

Chunks count as their documents: a document's place is that of its best chunk.`,
    )
    .action(run);
}

async function run(options: EvalCommandOptions): Promise<void> {
  try {
    const [queries, qrels] = await Promise.all([readQueries(options.queries), readQrels(options.qrels)]);
    const ks = options.k ?? [10, 100];
    // Loaded here, so that --help and usage errors don't wait for the native parts.
    const { openIndex } = await import('../../open-index.js');
    const index = await openIndex(options.index, { create: false });
    try {
      const report = await evaluate({
        search: (query, searchOptions) => index.search(query, searchOptions),
        queries,
        qrels,
        configurations: configurations(options, Math.max(...ks)),
        ks,
        hasDocument: (ids) => index.has([...ids]),
        onProgress: progressNotes(),
        perQuery: options.perQuery ?? false,
      });
      printReport(report, options);
    } finally {
      await index.close();
    }
  } catch (error) {
    fail(error, options);
  }
}

function configurations({ configuration: names, shortlist }: EvalCommandOptions, depth: number) {
  const all = standardConfigurations({ depth, reranker: true, ...(shortlist && { shortlist }) });
  if (!names) return all;
  const known = all.map(({ name }) => name);
  for (const name of names) {
    if (!known.includes(name)) {
      throw new SluiceError('SLUICE_USAGE', `there is no configuration "${name}"`, {
        hint: `choose from ${known.join(', ')}`,
      });
    }
  }
  return all.filter(({ name }) => names.includes(name));
}

function progressNotes() {
  let last = performance.now();
  return ({ configuration, done, total }: { configuration: string; done: number; total: number }) => {
    if (performance.now() - last < PROGRESS_EVERY_MS) return;
    last = performance.now();
    note(`${configuration}: ${done} of ${total} queries`);
  };
}

function printReport(report: EvaluationReport, { json }: EvalCommandOptions): void {
  if (json) printJson(report);
  else print(renderTable(report));
}
