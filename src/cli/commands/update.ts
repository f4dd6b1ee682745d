import { Command } from 'commander';
import { SluiceError } from '../../errors.js';
import type { MetadataPatch } from '../../metadata-patch.js';
import type { JsonValue } from '../../model/document.js';
import { withCommandHints } from '../hints.js';
import {
  collected,
  FILTER_HELP,
  filterOption,
  type IndexFolderOptions,
  withCommonOptions,
  withIndex,
} from '../options.js';
import { count, counted, fail, print, printJson } from '../output.js';
import { printDryRun, type SelectionOptions, selectionOf, tellUnknown, UNKNOWN_HELP } from '../selection.js';

interface UpdateCommandOptions extends IndexFolderOptions, SelectionOptions {
  set?: string[];
  unset?: string[];
}

const HINTS = {
  SLUICE_USAGE:
    'name documents by ids, --filter or --all, and say what to change by --set field=value or --unset field',
};

export function updateCommand(): Command {
  return withCommonOptions(new Command('update'))
    .description('change the metadata of documents; nothing is embedded again')
    .argument('[document-ids...]', 'as `search` and `list` print them')
    .addOption(filterOption())
    .option('--all', 'every document')
    .option('--set <field=value>', 'set a field; the value is JSON, or else a string (repeatable)', collected)
    .option('--unset <field>', 'remove a field (repeatable)', collected)
    .option('--dry-run', 'only say which documents it would be')
    .addHelpText(
      'after',
      `
Examples:
  sluice update docs/guide.md --set status=final --set year=2024
  sluice update --filter '{"status":"draft"}' --set 'review.by="ada"' --unset reviewer
  sluice update --filter '{"team":"ops"}' --set 'tags=["run","book"]' --dry-run

Dots lead into objects. When the source of a document changes and is indexed again, it gets its source's metadata.
${UNKNOWN_HELP}
${FILTER_HELP}`,
    )
    .action(run);
}

async function run(ids: string[], options: UpdateCommandOptions): Promise<void> {
  try {
    const selection = selectionOf(ids, options);
    const patch = patchOf(options);
    await withIndex(options, async (index) => {
      if (options.dryRun) return printDryRun(index, ids, selection, options);
      const result = await withCommandHints(HINTS, () => index.update(selection, patch));
      tellUnknown(ids, result.unknown, options);
      if (options.json) return printJson(result);
      print(`Updated ${count(result.updated)} of ${counted(result.documents, 'document')}.`);
    });
  } catch (error) {
    fail(error, options);
  }
}

function patchOf({ set = [], unset = [] }: UpdateCommandOptions): MetadataPatch {
  const pairs = set.map((text): [string, JsonValue] => {
    const at = text.indexOf('=');
    if (at > 0) return [text.slice(0, at), jsonOrText(text.slice(at + 1))];
    throw new SluiceError('SLUICE_USAGE', `--set wants field=value, not "${text}"`);
  });
  if (pairs.length === 0 && unset.length === 0) {
    throw new SluiceError('SLUICE_USAGE', 'nothing would be changed', {
      hint: 'say what by --set field=value or --unset field',
    });
  }
  return { set: Object.fromEntries(pairs), unset };
}

/** JSON where it is JSON: `year=2024` is a number, `year="2024"` a string, and `status=final` a string too. */
function jsonOrText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
