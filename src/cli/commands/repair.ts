import { Command } from 'commander';
import type { RepairReport } from '../../store/index.js';
import { EXIT } from '../exit-codes.js';
import { maintain } from '../maintenance-command.js';
import { type IndexFolderOptions, withCommonOptions } from '../options.js';
import { counted, print } from '../output.js';
import { describeFinding } from './verify.js';

interface RepairCommandOptions extends IndexFolderOptions {
  dropDamaged?: boolean;
}

export function repairCommand(): Command {
  return withCommonOptions(new Command('repair'))
    .description('build damaged keyword indexes and graphs anew, and name or remove damaged documents')
    .option(
      '--drop-damaged',
      'remove the documents whose rows are damaged; index their sources again to get them back',
    )
    .addHelpText(
      'after',
      '\nWithout --drop-damaged no document is removed. Exit status 4 where damage is left.\n\nExamples:\n  sluice repair\n  sluice repair --drop-damaged --json',
    )
    .action(run);
}

async function run(options: RepairCommandOptions): Promise<void> {
  const dropDamaged = options.dropDamaged === true;
  await maintain(
    options,
    async ({ repairIndex }, onProgress) => {
      const report = await repairIndex(options.index, { dropDamaged, onProgress });
      if (!report.ok) process.exitCode = EXIT.damaged;
      return report;
    },
    tell,
    EXIT.damaged,
  );
}

function tell({ ok, findings, rebuilt, dropped, damaged, forgotten, remaining }: RepairReport): void {
  if (findings.length === 0) print('Nothing is damaged.');
  else print(`${counted(findings.length, 'finding')}; made good: ${rebuilt.join(', ') || 'nothing'}.`);
  for (const { id, source } of dropped) print(`removed  ${id}${source === '' ? '' : ` from ${source}`}`);
  if (dropped.length > 0) {
    const which = forgotten === 'all' ? 'all files' : counted(forgotten.length, 'file');
    print(`Index their sources again: ${which} will be read anew, and only what is missing is embedded.`);
  }
  if (ok) return;
  for (const finding of remaining) print(`left     ${describeFinding(finding)}`);
  if (damaged.length > 0)
    print(
      `${counted(damaged.length, 'damaged document')} left: 'sluice repair --drop-damaged' removes what is damaged.`,
    );
}
