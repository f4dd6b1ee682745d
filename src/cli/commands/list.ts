import { Command } from 'commander';
import type { DocumentEntry } from '../../model/store.js';
import {
  FILTER_HELP,
  filterOption,
  type IndexFolderOptions,
  parseFilter,
  wholeNumber,
  withCommonOptions,
  withIndex,
} from '../options.js';
import { counted, fail, note, print, printable, printJson } from '../output.js';

interface ListCommandOptions extends IndexFolderOptions {
  filter?: string;
  limit: number;
  cursor?: string;
  metadata?: boolean;
}

export function listCommand(): Command {
  return withCommonOptions(new Command('list'))
    .description('list documents, by id')
    .addOption(filterOption())
    .option('-n, --limit <n>', 'how many, 1 to 10,000', wholeNumber(1, 10_000), 100)
    .option('--cursor <cursor>', 'go on where an earlier list ended')
    .option('--metadata', 'print the metadata too (--json always does)')
    .addHelpText(
      'after',
      `
Examples:
  sluice list
  sluice list --filter '{"$source":{"prefix":"docs/"}}' --metadata
  sluice list -n 1000 --json | jq -r '.documents[].id'

A list that does not end says with which --cursor it goes on; nothing is left out or told twice, whatever is indexed
in between.
${FILTER_HELP}`,
    )
    .action(run);
}

async function run(options: ListCommandOptions): Promise<void> {
  try {
    const { limit, cursor } = options;
    const list = await withIndex(options, (index) =>
      index.list({ filter: parseFilter(options.filter), limit, cursor }),
    );
    if (options.json) return printJson(list);
    if (list.documents.length === 0) print('No document.');
    for (const document of list.documents) printEntry(document, options.metadata === true);
    if (list.cursor !== undefined) note(`there are more: --cursor ${list.cursor}`);
  } catch (error) {
    fail(error, options);
  }
}

function printEntry({ id, title, format, chunks, metadata }: DocumentEntry, withMetadata: boolean): void {
  print(`${printable(id)}\t${printable(title)}\t${format}, ${counted(chunks, 'chunk')}`);
  if (withMetadata) print(`  ${JSON.stringify(metadata)}`);
}
