import { Command } from 'commander';
import { SluiceError } from '../../errors.js';
import { type IndexFolderOptions, withCommonOptions, withIndex } from '../options.js';
import { fail, print, printJson } from '../output.js';

interface ShowCommandOptions extends IndexFolderOptions {
  chunks?: boolean;
}

export function showCommand(): Command {
  return withCommonOptions(new Command('show'))
    .description('print a document, or how it was cut')
    .argument(
      '<document-id>',
      'as `search` and `list` print it: root name and path, or the id of a JSONL record',
    )
    .option('--chunks', 'print the chunks with their positions')
    .addHelpText(
      'after',
      '\nExamples:\n  sluice show docs/guide.md\n  sluice show docs/guide.md --chunks --json',
    )
    .action(run);
}

async function run(id: string, options: ShowCommandOptions): Promise<void> {
  try {
    await withIndex(options, async (index) => {
      const document = await index.get(id);
      if (!document) {
        throw new SluiceError('SLUICE_NOT_FOUND', `no document has the id "${id}"`, {
          hint: '`sluice list` prints the ids of all documents, and `sluice search` those of its hits',
        });
      }
      if (options.json)
        printJson(options.chunks ? document : { ...document, chunks: document.chunks.length });
      else if (!options.chunks) print(document.text);
      else {
        for (const chunk of document.chunks) {
          print(
            `--- ${chunk.chunkId}  ${chunk.page > 0 ? `page ${chunk.page}, ` : ''}lines ${chunk.startLine}-${chunk.endLine}, ${chunk.tokens} tokens, ${chunk.kind}`,
          );
          if (chunk.headingPath) print(`    ${chunk.headingPath}`);
          print(chunk.text);
        }
      }
    });
  } catch (error) {
    fail(error, options);
  }
}
