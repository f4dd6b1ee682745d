import { Command } from 'commander';
import { maintain } from '../maintenance-command.js';
import { type IndexFolderOptions, withCommonOptions } from '../options.js';
import { print } from '../output.js';

export function migrateCommand(): Command {
  return withCommonOptions(new Command('migrate'))
    .description('bring an index of an older release up to this one')
    .addHelpText(
      'after',
      '\nHappens wholly or not at all, and nothing is embedded again. Needs free space for a second copy of the database.\n\nExamples:\n  sluice migrate\n  sluice migrate --index ./docs.idx --json',
    )
    .action(run);
}

async function run(options: IndexFolderOptions): Promise<void> {
  await maintain(options, ({ migrateIndex }) => migrateIndex(options.index), tell);
}

function tell({ from, to }: { from: number; to: number }): void {
  print(from === to ? `The index has format version ${to} already.` : `Format version ${from} became ${to}.`);
}
