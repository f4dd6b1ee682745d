import { Command } from 'commander';
import type { CutBatch } from '../../audit/index.js';
import { SluiceError } from '../../errors.js';
import { type ChunkingOptions, chunkingOf, withChunkingOptions } from '../chunking-options.js';
import { CutPrinter } from '../cut-printer.js';
import { EXIT } from '../exit-codes.js';
import { counted, describeError, fail, note, printJson } from '../output.js';

interface ChunkCommandOptions extends ChunkingOptions {
  model?: string;
  encoding?: string;
  json?: boolean;
}

export function chunkCommand(): Command {
  return withChunkingOptions(new Command('chunk'))
    .description('show where a file is cut, without making an index')
    .argument('<file>', 'any file that `sluice index` takes; of JSONL, each record is shown')
    .option('--json', 'print JSON on stdout')
    .option('--model <name-or-folder>', 'embedding model whose window chunks must fit')
    .option('--encoding <label>', "of a file whose bytes don't tell it, such as gbk (default: guessed)")
    .addHelpText(
      'after',
      `
Examples:
  sluice chunk docs/guide.md
  sluice chunk docs/guide.md --strategy window --limit 128
  sluice chunk notes.txt --json | jq '.documents[0].chunks[].tokens'

What a chunk shares with the one before is shown in colour, or between ⟦ and ⟧ where there is none (NO_COLOR, or no
terminal). What models read before the text stands behind 'prefix'; above the children of parent-child
stands the parent that searches answer with. Exit status 3 where something was skipped.`,
    )
    .action(run);
}

async function run(file: string, options: ChunkCommandOptions): Promise<void> {
  try {
    // Loaded here, so that --help and usage errors don't wait for the native parts.
    const { cutDocuments } = await import('../../audit-folder.js');
    const printer = new CutPrinter(hasColour());
    const all: CutBatch = { documents: [], skipped: [], limitTokens: 0, chunker: '' };
    await cutDocuments(file, cuttingOptions(options), (batch) => {
      all.skipped.push(...batch.skipped);
      all.limitTokens = batch.limitTokens || all.limitTokens;
      all.chunker = batch.chunker || all.chunker;
      if (options.json) all.documents.push(...batch.documents);
      else for (const document of batch.documents) printer.print(document, batch.limitTokens);
    });
    finish(file, all, printer.documents, options);
  } catch (error) {
    fail(error, options);
  }
}

function finish(file: string, all: CutBatch, printed: number, options: ChunkCommandOptions): void {
  const [first] = all.skipped;
  if (all.documents.length + printed === 0) {
    throw new SluiceError(
      first?.error.code ?? 'SLUICE_NO_DOCUMENTS',
      first?.error.message ?? `nothing to cut in ${file}`,
    );
  }
  if (first) process.exitCode = EXIT.partial;
  if (options.json) printJson(all);
  else if (first)
    note(
      `${counted(all.skipped.length, 'item')} skipped; the first: ${first.source}: ${describeError(first.error)}`,
    );
}

function cuttingOptions(options: ChunkCommandOptions) {
  return {
    ...chunkingOf(options),
    ...(options.model && { model: options.model }),
    ...(options.encoding && { encoding: options.encoding }),
    threads: 1,
  };
}

/** As https://no-color.org asks. */
function hasColour(): boolean {
  return process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === '';
}
