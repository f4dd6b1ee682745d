import { Command, Option } from 'commander';
import type { ExportFormat, ExportReport, ExportVectors } from '../../store/index.js';
import { withCommandHints } from '../hints.js';
import { maintain } from '../maintenance-command.js';
import {
  FILTER_HELP,
  filterOption,
  type IndexFolderOptions,
  parseFilter,
  withCommonOptions,
} from '../options.js';
import { bytes, counted, duration, print } from '../output.js';

interface ExportCommandOptions extends IndexFolderOptions {
  filter?: string;
  format?: ExportFormat;
  vectors?: ExportVectors;
  force?: boolean;
}

const HINTS = { SLUICE_USAGE: 'name another file, or replace it with --force' };

export function exportCommand(): Command {
  return withCommonOptions(new Command('export'))
    .description('write documents, chunks and vectors into a file that `import` and other tools read')
    .argument('<file>', 'ends with .jsonl or .parquet; missing folders are made')
    .addOption(filterOption())
    .addOption(
      new Option('--format <format>', 'the form of the file, whatever its name').choices([
        'jsonl',
        'parquet',
      ]),
    )
    .addOption(
      new Option(
        '--vectors <form>',
        'vectors in JSONL: base64 of little-endian float32 (default), arrays, or none (cannot be imported)',
      ).choices(['base64', 'arrays', 'none']),
    )
    .option('--force', 'replace a file that exists')
    .addHelpText(
      'after',
      `
The file also holds where the sources lie, so that indexing can go on after an import. With --filter, files of which only
some documents are written count as not wholly read: indexing their folder again reads them again.

Examples:
  sluice export docs.jsonl
  sluice export docs.parquet
  sluice export docs.jsonl --vectors arrays --force
  sluice export german.jsonl --filter '{"lang":"de"}'
${FILTER_HELP}`,
    )
    .action(run);
}

async function run(file: string, options: ExportCommandOptions): Promise<void> {
  const { format, vectors, force } = options;
  await maintain(
    options,
    ({ exportIndex }, onProgress) =>
      withCommandHints(HINTS, () =>
        exportIndex(options.index, file, {
          onProgress,
          overwrite: force === true,
          filter: parseFilter(options.filter),
          ...(format && { format }),
          ...(vectors && { vectors }),
        }),
      ),
    tell,
  );
}

function tell({ file, documents, chunks, bytes: size, durationMs }: ExportReport): void {
  print(
    `${file}: ${counted(documents, 'document')}, ${counted(chunks, 'chunk')}, ${bytes(size)} in ${duration(durationMs)}.`,
  );
}
