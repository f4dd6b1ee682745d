#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError, type OutputConfiguration } from 'commander';
import { SluiceError } from '../errors.js';
import { auditCommand } from './commands/audit.js';
import { backupCommand } from './commands/backup.js';
import { chunkCommand } from './commands/chunk.js';
import { compactCommand } from './commands/compact.js';
import { countCommand } from './commands/count.js';
import { doctorCommand } from './commands/doctor.js';
import { evalCommand } from './commands/eval.js';
import { exportCommand } from './commands/export.js';
import { facetsCommand } from './commands/facets.js';
import { importCommand } from './commands/import.js';
import { indexCommand } from './commands/index.js';
import { listCommand } from './commands/list.js';
import { migrateCommand } from './commands/migrate.js';
import { removeCommand } from './commands/remove.js';
import { repairCommand } from './commands/repair.js';
import { searchCommand } from './commands/search.js';
import { showCommand } from './commands/show.js';
import { statsCommand } from './commands/stats.js';
import { updateCommand } from './commands/update.js';
import { verifyCommand } from './commands/verify.js';
import { EXIT } from './exit-codes.js';
import { fail, handleFailedOutput } from './output.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

handleFailedOutput();

/** Read from the words themselves, because a wrong command line is never parsed to its end. */
const json = optionWords(process.argv).includes('--json');

const program = new Command('sluice')
  .description(
    'Indexes folders of documents and answers with the passages worth reading, all on this machine.',
  )
  .version(version)
  .showSuggestionAfterError()
  .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
  .exitOverride()
  .configureOutput(errorOutput())
  .addHelpText(
    'after',
    `
Examples:
  sluice index docs/ notes/todo.md            index two places into ./.sluice
  sluice search "how do I rotate the keys?"   the five best passages
  sluice search E1043 -k 3 --json             the same for a program
  sluice list --filter '{"lang":"en"}'        which documents
  sluice stats                                what the index holds, and what was skipped
  sluice doctor                               what this machine gives: cores, CPU, providers, models

Exit status: 0 done, 1 failed, 2 wrong command line, 3 indexed but something was skipped,
4 damage was found, 130 interrupted.`,
  );

for (const command of [
  indexCommand,
  searchCommand,
  showCommand,
  listCommand,
  countCommand,
  facetsCommand,
  updateCommand,
  removeCommand,
  statsCommand,
  evalCommand,
  auditCommand,
  chunkCommand,
  verifyCommand,
  repairCommand,
  compactCommand,
  backupCommand,
  exportCommand,
  importCommand,
  migrateCommand,
  doctorCommand,
]) {
  const made = command();
  // Subcommands made apart from the program don't inherit how it ends and what it prints.
  program.addCommand(made.exitOverride().configureOutput(errorOutput()).showSuggestionAfterError());
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) fail(error, { json });
  // Help and --version come here too, with status 0.
  else if (error.exitCode === 0) process.exitCode = EXIT.ok;
  else if (json) fail(new SluiceError('SLUICE_USAGE', usageMessage(error)), { json });
  // Commander has printed its own message.
  else process.exitCode = EXIT.usage;
}

/** What stands before `--`: behind it, words that look like options are none. */
function optionWords(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end === -1 ? words : words.slice(0, end);
}

/** With --json a failure is one object on stdout, so commander's own text is left out. */
function errorOutput(): OutputConfiguration {
  return json ? { writeErr: () => {} } : {};
}

/** Commander's message as one line: `error: unknown option '--jsn'\n(Did you mean --json?)`. */
function usageMessage({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'there is no such command; sluice --help lists them';
  return message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .trim();
}
