import type { DocumentSelection } from '../document-selection.js';
import { SluiceError } from '../errors.js';
import type { Filter } from '../model/filter.js';
import type { SluiceIndex } from '../sluice-index.js';
import { EXIT } from './exit-codes.js';
import { parseFilter } from './options.js';
import { count, counted, note, print, printJson } from './output.js';

/** Options of commands that change many documents at once. */
export interface SelectionOptions {
  filter?: string;
  all?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

const SHOWN_IDS = 20;

/** For --help of the commands that take ids. */
export const UNKNOWN_HELP =
  'Ids that are not in the index are named (with --json as `unknown`); if none of those named is there, the exit status is 1.';

/** @throws SLUICE_USAGE for ids and a filter, for a filter and --all, and for none of the three */
export function selectionOf(ids: readonly string[], { filter, all }: SelectionOptions): DocumentSelection {
  if (ids.length > 0 && filter === undefined && !all) return [...ids];
  if (ids.length === 0 && all && filter === undefined) return { all };
  if (ids.length === 0 && !all && filter !== undefined) return { filter: parseFilter(filter)! };
  throw new SluiceError('SLUICE_USAGE', 'name documents by their ids, or by --filter, or --all of them', {
    hint: 'one of the three, and only one',
  });
}

/** Names the ids that are not in the index. If nothing else was named, the command has failed. */
export function tellUnknown(
  ids: readonly string[],
  unknown: readonly string[],
  { json }: SelectionOptions,
): void {
  if (unknown.length === 0) return;
  if (unknown.length === new Set(ids).size) process.exitCode = EXIT.failed;
  if (json) return;
  const more = unknown.length > SHOWN_IDS ? `, … and ${count(unknown.length - SHOWN_IDS)} more` : '';
  note(`not in the index: ${unknown.slice(0, SHOWN_IDS).join(', ')}${more}`);
}

/** What a change would be for: counts, and the first ids. Nothing is changed. */
export async function printDryRun(
  index: SluiceIndex,
  ids: readonly string[],
  selection: DocumentSelection,
  options: SelectionOptions,
): Promise<void> {
  const named = [...new Set(ids)];
  const filter = named.length > 0 ? { $id: named } : (selection as { filter?: Filter }).filter;
  const counts = await index.count({ filter });
  const { documents } = await index.list({ filter, limit: SHOWN_IDS });
  const shown = documents.map(({ id }) => id);
  const held = await index.has(named);
  const unknown = named.filter((_, at) => !held[at]);
  tellUnknown(named, unknown, options);
  if (options.json) return printJson({ dryRun: true, ...counts, ids: shown, unknown });
  print(`It would be ${counted(counts.documents, 'document')} with ${counted(counts.chunks, 'chunk')}:`);
  for (const id of shown) print(`  ${id}`);
  if (counts.documents > shown.length) print(`  … and ${count(counts.documents - shown.length)} more`);
}
