import { Command } from 'commander';
import type { Finding, VerifyReport } from '../../store/index.js';
import { EXIT } from '../exit-codes.js';
import { maintain } from '../maintenance-command.js';
import { type IndexFolderOptions, withCommonOptions } from '../options.js';
import { count, counted, duration, print } from '../output.js';

export function verifyCommand(): Command {
  return withCommonOptions(new Command('verify'))
    .description('look at every row and every file of the index, and list all that is damaged')
    .addHelpText(
      'after',
      '\nChanges nothing, and may run while the index is in use. Exit status 4 where something is damaged.\n\nExamples:\n  sluice verify\n  sluice verify --index ./docs.idx --json',
    )
    .action(run);
}

async function run(options: IndexFolderOptions): Promise<void> {
  await maintain(
    options,
    async ({ verifyIndex }, onProgress) => {
      const report = await verifyIndex(options.index, { onProgress });
      if (!report.ok) process.exitCode = EXIT.damaged;
      return report;
    },
    tell,
  );
}

function tell(report: VerifyReport): void {
  const { documents, chunks, vectors, keywordFiles, graphFiles, filterFiles } = report.checked;
  for (const finding of report.findings) print(describeFinding(finding));
  if (report.unlisted > 0) print(`and ${count(report.unlisted)} more`);
  print(
    `${report.ok ? 'Nothing is damaged' : counted(report.findings.length + report.unlisted, 'finding')}: ` +
      `${counted(documents, 'document version')}, ${counted(chunks, 'chunk')}, ${counted(vectors, 'vector')}, ` +
      `${counted(keywordFiles, 'keyword file')}, ${counted(graphFiles, 'graph')}, ${counted(filterFiles, 'file')} of metadata columns in ${duration(report.durationMs)}.`,
  );
  if (!report.readable)
    print('Nothing can be repaired: restore a backup, or index the documents again into a new folder.');
  else if (!report.ok) print("'sluice repair' makes good what can be made good.");
}

export function describeFinding({ file, place, problem }: Finding): string {
  return `${file}, ${place}: ${problem}`;
}
