import { Command } from 'commander';
import { type IndexFolderOptions, withCommonOptions } from '../options.js';
import { count, fail, print, printJson } from '../output.js';

export function removeCommand(): Command {
  return withCommonOptions(new Command('remove'))
    .description('remove documents by id; ids that do not exist are ignored')
    .argument('<document-ids...>', 'as `search` prints them')
    .addHelpText('after', '\nExamples:\n  sluice remove docs/guide.md\n  sluice remove r1 r2 --json')
    .action(run);
}

async function run(ids: string[], options: IndexFolderOptions): Promise<void> {
  try {
    const { openIndex } = await import('../../open-index.js');
    const index = await openIndex(options.index, { create: false });
    try {
      const result = await index.remove(ids);
      if (options.json) printJson(result);
      else print(`Removed ${count(result.removedChunks)} chunks.`);
    } finally {
      await index.close();
    }
  } catch (error) {
    fail(error, options);
  }
}
