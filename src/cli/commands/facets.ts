import { Command } from 'commander';
import {
  FILTER_HELP,
  filterOption,
  type IndexFolderOptions,
  parseFilter,
  wholeNumber,
  withCommonOptions,
  withIndex,
} from '../options.js';
import { counted, fail, print, printJson } from '../output.js';

interface FacetsCommandOptions extends IndexFolderOptions {
  filter?: string;
  limit: number;
}

export function facetsCommand(): Command {
  return withCommonOptions(new Command('facets'))
    .description('the most frequent values of a metadata field')
    .argument('<field>', "as filters name it, e.g. lang, 'author.name' or '$format'")
    .addOption(filterOption())
    .option('-n, --limit <n>', 'how many values, 1 to 1,000', wholeNumber(1, 1_000), 20)
    .addHelpText(
      'after',
      `
Examples:
  sluice facets lang
  sluice facets tags --filter '{"lang":"en"}' -n 5 --json

Values are printed as JSON, so that "5" and 5 are told apart.
${FILTER_HELP}`,
    )
    .action(run);
}

async function run(field: string, options: FacetsCommandOptions): Promise<void> {
  try {
    const { limit } = options;
    const facets = await withIndex(options, (index) =>
      index.facets(field, { filter: parseFilter(options.filter), limit }),
    );
    if (options.json) return printJson(facets);
    if (facets.length === 0) print('No value.');
    for (const { value, documents, chunks } of facets) {
      print(`${JSON.stringify(value)}\t${counted(documents, 'document')}, ${counted(chunks, 'chunk')}`);
    }
  } catch (error) {
    fail(error, options);
  }
}
