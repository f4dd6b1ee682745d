import { Command } from 'commander';
import type { BackupReport } from '../../store/index.js';
import { maintain } from '../maintenance-command.js';
import { type IndexFolderOptions, withCommonOptions } from '../options.js';
import { duration, print } from '../output.js';

export function backupCommand(): Command {
  return withCommonOptions(new Command('backup'))
    .description('copy the index into a new or empty folder, also while it is written')
    .argument('<target>', 'the folder that becomes the copy')
    .addHelpText(
      'after',
      '\nThe copy appears when it is whole.\n\nExamples:\n  sluice backup /backups/docs-monday\n  sluice backup ../copy --json',
    )
    .action(run);
}

async function run(target: string, options: IndexFolderOptions): Promise<void> {
  await maintain(
    options,
    ({ backupIndex }, onProgress) => backupIndex(options.index, target, { onProgress }),
    tell,
  );
}

function tell({ target, generation, durationMs }: BackupReport): void {
  print(`${target} holds generation ${generation}, after ${duration(durationMs)}.`);
}
