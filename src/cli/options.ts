import { type Command, InvalidArgumentError, Option } from 'commander';
import { SluiceError } from '../errors.js';
import type { Filter } from '../model/filter.js';

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

export function wholeNumber(minimum: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < minimum || value.trim() === '') {
      throw new InvalidArgumentError(`Give a whole number of ${minimum} or more.`);
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

export function parseFilter(text: string | undefined): Filter | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Filter;
  } catch (cause) {
    throw new SluiceError('SLUICE_FILTER_INVALID', `--filter is not JSON: ${(cause as Error).message}`, {
      hint: `write it like '{"lang":"en"}', with double quotes inside and single quotes around`,
      cause,
    });
  }
}
