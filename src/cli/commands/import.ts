import { Command, Option } from 'commander';
import type { ExportFormat, ImportReport } from '../../store/index.js';
import { maintain } from '../maintenance-command.js';
import { type IndexFolderOptions, withCommonOptions } from '../options.js';
import { counted, duration, print } from '../output.js';

interface ImportCommandOptions extends IndexFolderOptions {
  format?: ExportFormat;
}

export function importCommand(): Command {
  return withCommonOptions(new Command('import'))
    .description('make a new index of a file that `export` wrote, without any embedding')
    .argument('<file>', 'ends with .parquet for Parquet, else it is JSONL')
    .addOption(
      new Option('--format <format>', 'the form of the file, whatever its name').choices([
        'jsonl',
        'parquet',
      ]),
    )
    .addHelpText(
      'after',
      '\nThe folder must be new or empty; it appears when it is whole. A file exported with --vectors none cannot be\nimported.\n\nExamples:\n  sluice import docs.jsonl --index ./docs.idx\n  sluice import docs.parquet --json',
    )
    .action(run);
}

async function run(file: string, options: ImportCommandOptions): Promise<void> {
  const format = options.format && { format: options.format };
  await maintain(
    options,
    ({ importIndex }, onProgress) => importIndex(file, options.index, { onProgress, ...format }),
    tell,
  );
}

function tell({ folder, documents, chunks, durationMs }: ImportReport): void {
  print(
    `${folder}: ${counted(documents, 'document')}, ${counted(chunks, 'chunk')} in ${duration(durationMs)}.`,
  );
}
