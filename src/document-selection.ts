import { SluiceError } from './errors.js';
import type { Filter } from './model/filter.js';
import type { DocumentEntry, StoreReader } from './model/store.js';
import { matchesEverything, parseFilter } from './store/index.js';

/**
 * Which documents a change is for: ids, or all that pass a filter. A filter that lets everything pass, `{}` for one,
 * must say so with `all: true`: an empty one is more often a slip than a wish.
 */
export type DocumentSelection = string | string[] | { filter?: Filter; all?: boolean };

/** Documents of one portion: of one commit, and of one message between threads. */
export const PORTION = 250;

/** @throws SLUICE_USAGE; SLUICE_FILTER_INVALID */
export function checkSelection(selection: unknown, call: string): DocumentSelection {
  if (typeof selection !== 'object' || selection === null || Array.isArray(selection)) {
    return idList(selection, call);
  }
  for (const name of Object.keys(selection)) {
    if (name !== 'filter' && name !== 'all') throw usage(`${call} knows no "${name}"`, call);
  }
  const { filter, all = false } = selection as { filter?: unknown; all?: unknown };
  if (typeof all !== 'boolean') throw usage(`all must be true or false, not ${String(all)}`, call);
  const everything = filter === undefined || matchesEverything(parseFilter(filter));
  if (everything && !all) throw usage(`the filter of ${call} lets every document pass`, call);
  return selection;
}

/** Ids as the index holds them. @throws SLUICE_USAGE for anything but a string or a list of strings */
export function idList(ids: unknown, call: string): string[] {
  const list: unknown[] = Array.isArray(ids) ? Array.from(ids) : [ids];
  const wrong = list.findIndex((id) => typeof id !== 'string');
  if (wrong === -1) return (list as string[]).map((id) => id.toWellFormed());
  throw new SluiceError('SLUICE_USAGE', `${call} wants document ids as strings, not ${String(list[wrong])}`);
}

/** The ids of a selection by ids, none of one by a filter. */
export function namedIds(selection: DocumentSelection): string[] {
  if (typeof selection === 'string') return [selection];
  return Array.isArray(selection) ? selection : [];
}

type Read = <T>(use: (reader: StoreReader) => Promise<T>) => Promise<T>;

/**
 * The selected documents in portions. By id, so that one which a change makes pass or fail the filter is not met twice
 * and hides no other. Ids that do not exist are passed over.
 */
export async function* selectedDocuments(
  selection: DocumentSelection,
  read: Read,
): AsyncGenerator<DocumentEntry[], void, undefined> {
  if (typeof selection !== 'string' && !Array.isArray(selection)) {
    yield* pagesOf(selection.filter, read);
    return;
  }
  const ids = [...new Set(idList(selection, 'a selection'))];
  for (let from = 0; from < ids.length; from += PORTION) {
    const $id = ids.slice(from, from + PORTION);
    yield await read((reader) => reader.list({ $id }, undefined, $id.length));
  }
}

/** All documents that pass, a page at a time, each page of the newest generation. */
export async function* pagesOf(
  filter: Filter | undefined,
  read: Read,
): AsyncGenerator<DocumentEntry[], void, undefined> {
  for (let after: string | undefined; ; ) {
    const page = await read((reader) => reader.list(filter, after, PORTION));
    yield page;
    if (page.length < PORTION) return;
    after = page.at(-1)!.id;
  }
}

function usage(message: string, call: string): SluiceError {
  return new SluiceError('SLUICE_USAGE', message, {
    hint: `name ids or { filter }, and every document with { all: true }: ${call}({ filter: { lang: 'en' } })`,
  });
}
