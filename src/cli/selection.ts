import type { DocumentSelection } from '../document-selection.js';
import { SluiceError } from '../errors.js';
import type { SluiceIndex } from '../sluice-index.js';
import { parseFilter } from './options.js';
import { count, counted, print, printJson } from './output.js';

/** Options of commands that change many documents at once. */
export interface SelectionOptions {
  filter?: string;
  all?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

const SHOWN_IDS = 20;

/** @throws SLUICE_USAGE for ids and a filter, and for neither */
export function selectionOf(ids: readonly string[], { filter, all }: SelectionOptions): DocumentSelection {
  if (ids.length > 0 && filter === undefined && !all) return [...ids];
  if (ids.length === 0 && (filter !== undefined || all)) {
    const parsed = parseFilter(filter);
    return { ...(parsed !== undefined && { filter: parsed }), ...(all && { all }) };
  }
  throw new SluiceError('SLUICE_USAGE', 'name documents by their ids, or by --filter, or --all of them', {
    hint: 'one of the three',
  });
}

/** What a change would be for: counts, and the first ids. Nothing is changed. */
export async function printDryRun(
  index: SluiceIndex,
  selection: DocumentSelection,
  { json }: SelectionOptions,
): Promise<void> {
  const { filter } =
    typeof selection === 'string' || Array.isArray(selection) ? { filter: { $id: selection } } : selection;
  const counts = await index.count(filter);
  const { documents } = await index.list({ filter, limit: SHOWN_IDS });
  const ids = documents.map(({ id }) => id);
  if (json) return printJson({ dryRun: true, ...counts, ids });
  print(`It would be ${counted(counts.documents, 'document')} with ${counted(counts.chunks, 'chunk')}:`);
  for (const id of ids) print(`  ${id}`);
  if (counts.documents > ids.length) print(`  … and ${count(counts.documents - ids.length)} more`);
}
