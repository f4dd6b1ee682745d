#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { doctorCommand } from './commands/doctor.js';
import { evalCommand } from './commands/eval.js';
import { indexCommand } from './commands/index.js';
import { searchCommand } from './commands/search.js';
import { showCommand } from './commands/show.js';
import { statsCommand } from './commands/stats.js';
import { EXIT } from './exit-codes.js';
import { fail } from './output.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('sluice')
  .description(
    'Indexes folders of documents and answers with the passages worth reading, all on this machine.',
  )
  .version(version)
  .showSuggestionAfterError()
  .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
  .exitOverride()
  .addHelpText(
    'after',
    `
Examples:
  sluice index docs/ notes/todo.md            index two places into ./.sluice
  sluice search "how do I rotate the keys?"   the five best passages
  sluice search E1043 -k 3 --json             the same for a program
  sluice stats                                what the index holds, and what was skipped
  sluice doctor                               what this machine gives: cores, CPU, providers, models

Exit status: 0 done, 1 failed, 2 wrong command line, 3 indexed but something was skipped, 130 interrupted.`,
  );

for (const command of [indexCommand, searchCommand, showCommand, statsCommand, evalCommand, doctorCommand]) {
  const made = command();
  // Subcommands made apart from the program don't inherit how it ends.
  program.addCommand(made.exitOverride().showSuggestionAfterError());
}

try {
  await program.parseAsync();
} catch (error) {
  // Commander has printed its own message; help and --version come here too, with status 0.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  else fail(error, { json: process.argv.includes('--json') });
}
