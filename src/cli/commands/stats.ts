import { Command } from 'commander';
import { type IndexFolderOptions, withCommonOptions, withIndex } from '../options.js';
import { bytes, count, counted, describeError, fail, print, printJson } from '../output.js';

export function statsCommand(): Command {
  return withCommonOptions(new Command('stats'))
    .description('what the index holds, how it was made, and what was skipped')
    .addHelpText('after', '\nExamples:\n  sluice stats\n  sluice stats --index ./docs.idx --json')
    .action(run);
}

async function run(options: IndexFolderOptions): Promise<void> {
  try {
    await withIndex(options, async (index) => {
      const stats = await index.stats();
      if (options.json) {
        printJson(stats);
        return;
      }
      const { embedder, chunker, analyzer } = stats.passport;
      print(`${options.index}, generation ${stats.generation}`);
      print(`  documents ${count(stats.documents)} from ${counted(stats.sources, 'file')}`);
      print(
        `  chunks    ${count(stats.chunks)}, ${count(stats.tokens)} tokens, ${count(stats.overLimitChunks)} over the limit`,
      );
      print(
        `  vectors   ${count(stats.graphVectors)} in the graph, ${count(stats.tailVectors)} scanned exactly`,
      );
      print(
        `  disk      database ${bytes(stats.bytes.database)}, keywords ${bytes(stats.bytes.keywords)}, graph ${bytes(stats.bytes.graph)}, filters ${bytes(stats.bytes.filters)}`,
      );
      print(
        `  model     ${embedder.name}, ${embedder.dims} dimensions, window ${embedder.windowTokens} tokens`,
      );
      print(`  chunker   ${chunker}`);
      print(`  analyzer  ${analyzer}`);
      for (const problem of stats.problems ?? []) print(`  problem   ${problem}`);
      for (const { source, error } of stats.failedSources) {
        print(`  failed    ${source}: ${error ? describeError(error) : 'not all of it is in'}`);
      }
    });
  } catch (error) {
    fail(error, options);
  }
}
