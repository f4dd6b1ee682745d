import { Command } from 'commander';
import type { CompactReport } from '../../store/index.js';
import { maintain } from '../maintenance-command.js';
import { type IndexFolderOptions, withCommonOptions } from '../options.js';
import { bytes, duration, note, print } from '../output.js';

export function compactCommand(): Command {
  return withCommonOptions(new Command('compact'))
    .description('erase removed and replaced text from all files, and make scores those of a fresh index')
    .addHelpText(
      'after',
      '\nUntil then removed text stays in the files, and replaced versions count a little in BM25 scores. Needs free\nspace for a second copy of what is live.\n\nExamples:\n  sluice compact\n  sluice compact --index ./docs.idx --json',
    )
    .action(run);
}

async function run(options: IndexFolderOptions): Promise<void> {
  await maintain(
    options,
    ({ compactIndex }, onProgress) => compactIndex(options.index, { onProgress }),
    tell,
  );
}

function tell({ bytesBefore, bytesAfter, erased, durationMs }: CompactReport): void {
  print(`${bytes(bytesBefore)} became ${bytes(bytesAfter)} in ${duration(durationMs)}.`);
  if (!erased)
    note('Another process kept an older state open: run it again to erase removed text from all files.');
}
