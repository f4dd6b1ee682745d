import { Command } from 'commander';
import { withCommandHints } from '../hints.js';
import {
  FILTER_HELP,
  filterOption,
  type IndexFolderOptions,
  withCommonOptions,
  withIndex,
} from '../options.js';
import { counted, fail, print, printJson } from '../output.js';
import { printDryRun, type SelectionOptions, selectionOf, tellUnknown, UNKNOWN_HELP } from '../selection.js';

const HINTS = { SLUICE_USAGE: 'name documents by their ids or by --filter, and all of them by --all' };

export function removeCommand(): Command {
  return withCommonOptions(new Command('remove'))
    .description('remove documents by id or by filter')
    .argument('[document-ids...]', 'as `search` and `list` print them')
    .addOption(filterOption())
    .option('--all', 'every document')
    .option('--dry-run', 'only say what would go')
    .addHelpText(
      'after',
      `
Examples:
  sluice remove docs/guide.md
  sluice remove --filter '{"project":"closed"}' --dry-run
  sluice remove --filter '{"project":"closed"}' --json

A filter that lets everything pass is refused: that is what --all says. A file that is still there comes back when its folder is
indexed again.
${UNKNOWN_HELP}
${FILTER_HELP}`,
    )
    .action(run);
}

async function run(ids: string[], options: IndexFolderOptions & SelectionOptions): Promise<void> {
  try {
    const selection = selectionOf(ids, options);
    await withIndex(options, async (index) => {
      if (options.dryRun) return printDryRun(index, ids, selection, options);
      const result = await withCommandHints(HINTS, () => index.remove(selection));
      tellUnknown(ids, result.unknown, options);
      if (options.json) return printJson(result);
      print(
        `Removed ${counted(result.removedDocuments, 'document')} with ${counted(result.removedChunks, 'chunk')}.`,
      );
    });
  } catch (error) {
    fail(error, options);
  }
}
