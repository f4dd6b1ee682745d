import { type Command, InvalidArgumentError, Option } from 'commander';
import { SluiceError } from '../errors.js';
import type { Filter } from '../model/filter.js';
import type { SluiceIndex } from '../sluice-index.js';

/** Where an index lies unless --index names another folder. */
export const DEFAULT_INDEX_FOLDER = '.sluice';

export interface IndexFolderOptions {
  index: string;
  json?: boolean;
}

/** --index and --json: every command has them. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('-i, --index <folder>', 'folder of the index', DEFAULT_INDEX_FOLDER)
    .option('--json', 'print JSON on stdout');
}

/** Opens the index that the command is for, and closes it whatever happens. */
export async function withIndex<T>(
  { index: folder }: IndexFolderOptions,
  use: (index: SluiceIndex) => Promise<T>,
): Promise<T> {
  // Loaded here, so that --help and usage errors don't wait for the native parts.
  const { openIndex } = await import('../open-index.js');
  const index = await openIndex(folder, { create: false });
  try {
    return await use(index);
  } finally {
    await index.close();
  }
}

export function wholeNumber(minimum: number, most = Number.POSITIVE_INFINITY): (value: string) => number {
  const wanted = most === Number.POSITIVE_INFINITY ? `of ${minimum} or more` : `from ${minimum} to ${most}`;
  return (value) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < minimum || number > most || value.trim() === '') {
      throw new InvalidArgumentError(`Give a whole number ${wanted}.`);
    }
    return number;
  };
}

/** For options that may be given several times. */
export function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}

export function filterOption(): Option {
  return new Option(
    '-f, --filter <json>',
    'only documents whose metadata match, e.g. \'{"lang":"en","year":{"gte":2020}}\'',
  );
}

export const FILTER_HELP = `
Filters: {"field": value} equality; {"field": [a, b]} any of; {"field": {"ne": value}}, {"field": {"nin": [a, b]}} not;
{"n": {"gte": 1, "lt": 9}} ranges (also ISO dates); {"tags": {"overlaps": ["a"]}} shares one, {"contains": ["a", "b"]}
has all; {"field": null}; {"field": {"exists": false}}; {"as_of": "2024-05-01"} valid then; and, or, not. $source,
$title, $id and $format are fields of the document itself: {"$source": {"prefix": "docs/"}}. docs/filters.md in the
package is the whole grammar.`;

export function parseFilter(text: string | undefined): Filter | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Filter;
  } catch (cause) {
    throw new SluiceError('SLUICE_FILTER_INVALID', `--filter is not JSON: ${(cause as Error).message}`, {
      hint:
        'write {"field": value}, {"field": [a, b]} or {"field": {"operator": value}}, combined by and, or and not, with ' +
        `double quotes inside and single quotes around: '{"lang":"en","year":{"gte":2020}}'; --help has the grammar`,
      cause,
    });
  }
}
