import { realpathSync } from 'node:fs';
import { Command } from 'commander';
import { SluiceError } from '../../errors.js';
import { placeInSource } from '../../model/place.js';
import { type Hit, hitTitle, type SearchOptions, type SearchResult } from '../../retrieval/index.js';
import type { IndexesSearchResult } from '../../search-indexes.js';
import type { SluiceIndex } from '../../sluice-index.js';
import { withCommandHints } from '../hints.js';
import {
  collected,
  DEFAULT_INDEX_FOLDER,
  FILTER_HELP,
  filterOption,
  parseFilter,
  wholeNumber,
  withIndex,
} from '../options.js';
import { describeError, duration, fail, note, type OutputOptions, print, printJson } from '../output.js';

interface SearchCommandOptions extends OutputOptions {
  index?: string[];
  k: number;
  filter?: string;
  leg?: 'keywords' | 'vectors';
  keywords: boolean;
  vectors: boolean;
  rerank?: boolean;
  candidates?: number;
  shortlist?: number;
  ef?: number;
  explain?: boolean;
  full?: boolean;
}

const SHOWN_CHARACTERS = 480;

const HINTS = {
  SLUICE_USAGE: 'sluice search --help lists the options',
  SLUICE_PASSPORT_MISMATCH:
    "search them apart, or give one the model of the other: 'sluice index --reembed --model …'",
};

export function searchCommand(): Command {
  return new Command('search')
    .description('find the passages that answer a query')
    .option(
      '-i, --index <folder>',
      `folder of the index (repeatable: one answer over all; default "${DEFAULT_INDEX_FOLDER}")`,
      collected,
    )
    .option('--json', 'print JSON on stdout')
    .argument('<query...>', 'a question or words; quotes are optional')
    .option('-k, --k <n>', 'how many passages', wholeNumber(0), 5)
    .addOption(filterOption())
    .option('--no-keywords', 'leave the keyword leg out')
    .option('--no-vectors', 'leave the vector leg out; no model is loaded then')
    .option('--rerank', 'always rerank (default: when the query is a question)')
    .option('--no-rerank', 'never rerank')
    .option('--candidates <n>', 'chunks asked of each leg (default 100)', wholeNumber(1))
    .option('--shortlist <n>', 'candidates that the reranker reads (default 20)', wholeNumber(1))
    .option(
      '--ef <n>',
      'breadth of the graph walk: more finds more and takes longer (at first 100, at least 2k)',
      wholeNumber(1),
    )
    .option('--explain', 'what every stage made of the candidates')
    .option('--full', 'print passages whole')
    .addHelpText(
      'after',
      `
Examples:
  sluice search how long are webhooks retried
  sluice search "E1043" --no-vectors
  sluice search "refund policy" -k 3 --filter '{"lang":"en","year":{"gte":2023}}'
  sluice search "what is a leg?" --json | jq -r '.hits[0].source'
  sluice search "refunds" --index handbook.idx --index tickets.idx

Several indexes must have been made with one embedding model.
${FILTER_HELP}`,
    )
    .action(run);
}

async function run(words: string[], options: SearchCommandOptions): Promise<void> {
  try {
    const folders = options.index ?? [DEFAULT_INDEX_FOLDER];
    refuseRepeated(folders);
    const how = searchOptions(options);
    const result = await withCommandHints(HINTS, () => searchFolders(folders, words.join(' '), how));
    if (options.json) printJson(result);
    else printResult(result, options);
    for (const problem of result.problems) note(`problem: ${problem}`);
  } catch (error) {
    fail(error, options);
  }
}

function refuseRepeated(folders: readonly string[]): void {
  const seen = new Set<string>();
  for (const folder of folders) {
    const place = realPath(folder);
    if (seen.has(place)) {
      throw new SluiceError('SLUICE_USAGE', `the index ${folder} is named twice`, {
        hint: 'name each folder by one --index',
      });
    }
    seen.add(place);
  }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Opening it will say what is wrong.
    return folder;
  }
}

async function searchFolders(
  folders: readonly string[],
  query: string,
  options: SearchOptions,
): Promise<SearchResult | IndexesSearchResult> {
  if (folders.length === 1) return withIndex({ index: folders[0]! }, (index) => index.search(query, options));
  const { searchIndexes } = await import('../../search-indexes.js');
  const open = (indexes: SluiceIndex[]): Promise<IndexesSearchResult> => {
    const folder = folders[indexes.length];
    if (folder === undefined) return searchIndexes(indexes, query, options);
    return withIndex({ index: folder }, (index) => open([...indexes, index]));
  };
  return open([]);
}

function searchOptions(options: SearchCommandOptions): SearchOptions {
  return {
    k: options.k,
    filter: parseFilter(options.filter),
    // Only what was switched off is said: naming a leg true would make its failure an error.
    legs: { ...(!options.keywords && { keywords: false }), ...(!options.vectors && { vectors: false }) },
    rerank: options.rerank ?? 'auto',
    candidates: options.candidates,
    shortlist: options.shortlist,
    ef: options.ef,
    explain: options.explain ?? false,
  };
}

function printResult(result: SearchResult | IndexesSearchResult, options: SearchCommandOptions): void {
  if (result.hits.length === 0) print('Nothing found.');
  for (const hit of result.hits) printHit(hit, options.full === true);
  if (options.explain && result.trace) printJson(result.trace);
  if (result.rerankError) note(`not reranked: ${result.rerankError.message}`);
  const reasons = Object.entries(result.legs).flatMap(([leg, { reason, error }]) =>
    reason ? [{ leg, reason: error ? `${reason}: ${describeError(error)}` : reason }] : [],
  );
  // What keeps both legs from running is said once.
  const [first, second] = reasons;
  if (first !== undefined && first.reason === second?.reason) note(first.reason);
  else for (const { leg, reason } of reasons) note(`${leg}: ${reason}`);
  const stages = result.timings.stages.map(({ stage, ms }) => `${stage} ${duration(ms)}`).join(', ');
  note(`${duration(result.timings.totalMs)}: ${stages}`);
}

function printHit(hit: Hit, full: boolean): void {
  print(`${hit.rank}. ${hitTitle(hit)}`);
  const place = hit.index === undefined ? hit.source : `${hit.index}: ${hit.source}`;
  // What `show` takes; of most files it is the source.
  const id = hit.documentId === hit.source ? '' : `   id ${hit.documentId}`;
  print(`   ${place}:${placeInSource(hit)}${id}   ${scoreText(hit)}`);
  const text = full ? hit.text.trim() : excerpt(hit);
  print(
    text
      .split('\n')
      .map((line) => `   ${line}`)
      .join('\n'),
  );
  print();
}

function scoreText({ score, scores }: Hit): string {
  const parts = [`score ${score.toFixed(3)}`];
  if (scores.keywords) parts.push(`keywords #${scores.keywords.rank} ${scores.keywords.bm25.toFixed(1)}`);
  if (scores.vectors) parts.push(`vectors #${scores.vectors.rank} ${scores.vectors.cosine.toFixed(2)}`);
  if (scores.rerank !== null) parts.push(`rerank ${scores.rerank.toFixed(1)}`);
  return parts.join(' · ');
}

/** The beginning; of a parent what was found in it, where that lies further on. */
function excerpt({ text, start, child }: Hit): string {
  const isFurtherOn = child !== undefined && child.end - start > SHOWN_CHARACTERS && child.start > start;
  const shown = (isFurtherOn ? text.slice(child.start - start) : text).trim().replace(/\n{2,}/g, '\n');
  const before = isFurtherOn ? '… ' : '';
  return shown.length <= SHOWN_CHARACTERS
    ? before + shown
    : `${before}${shown.slice(0, SHOWN_CHARACTERS).trimEnd()} …`;
}
