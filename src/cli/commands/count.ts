import { Command } from 'commander';
import {
  FILTER_HELP,
  filterOption,
  type IndexFolderOptions,
  parseFilter,
  withCommonOptions,
  withIndex,
} from '../options.js';
import { counted, fail, print, printJson } from '../output.js';

interface CountCommandOptions extends IndexFolderOptions {
  filter?: string;
}

export function countCommand(): Command {
  return withCommonOptions(new Command('count'))
    .description('count documents and chunks')
    .addOption(filterOption())
    .addHelpText(
      'after',
      `
Examples:
  sluice count
  sluice count --filter '{"lang":"en"}' --json | jq .documents
${FILTER_HELP}`,
    )
    .action(run);
}

async function run(options: CountCommandOptions): Promise<void> {
  try {
    const counts = await withIndex(options, (index) => index.count({ filter: parseFilter(options.filter) }));
    if (options.json) printJson(counts);
    else print(`${counted(counts.documents, 'document')}, ${counted(counts.chunks, 'chunk')}`);
  } catch (error) {
    fail(error, options);
  }
}
