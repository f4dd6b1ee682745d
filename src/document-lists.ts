import { PORTION, pagesOf } from './document-selection.js';
import { SluiceError } from './errors.js';
import type { LiveIndex, Snapshot } from './live-index.js';
import type { Filter } from './model/filter.js';
import type { DocumentEntry, FacetValue, StoredChunk, StoredDocument } from './model/store.js';
import { isAllowed } from './retrieval/index.js';

/** Which documents `list` shows. */
export interface ListOptions {
  /** Default: all documents. */
  filter?: Filter | undefined;
  /** Documents of one page, 1 to 10,000. Default 100. */
  limit?: number | undefined;
  /** Of the page before; default: the beginning. */
  cursor?: string | undefined;
}

/** One page of documents. */
export interface DocumentList {
  /** By id in code point order. */
  documents: DocumentEntry[];
  /** Where the next page begins; undefined on the last one. Stays good whatever is committed meanwhile. */
  cursor: string | undefined;
}

/** Which documents `scan` goes through, and what it brings of them. */
export interface ScanOptions {
  filter?: Filter | undefined;
  /** Bring the whole text along. Default false. */
  text?: boolean | undefined;
  /** Bring the chunks along, with their texts. Default false. */
  chunks?: boolean | undefined;
}

/** A document of a scan; `chunks` are there where they were asked for, else their number is in `chunkCount`. */
export interface ScannedDocument extends Omit<DocumentEntry, 'chunks'> {
  chunkCount: number;
  text?: string;
  chunks?: StoredChunk[];
}

/** Of which documents `facets` tells, and how many values. */
export interface FacetOptions {
  filter?: Filter | undefined;
  /** Values, 1 to 1,000. Default 20. */
  limit?: number | undefined;
}

const LIST_LIMIT = 100;
const FACET_LIMIT = 20;
const MOST_DOCUMENTS = 10_000;
/** They cross threads as one message, which may not hold the caller's thread up. */
const MOST_FACETS = 1_000;

export async function listDocuments(live: LiveIndex, options: ListOptions): Promise<DocumentList> {
  checkNames('list', options, ['filter', 'limit', 'cursor']);
  const limit = checkLimit('list', options.limit ?? LIST_LIMIT, MOST_DOCUMENTS);
  const after = options.cursor === undefined ? undefined : openCursor(options.cursor);
  return live.read(async ({ reader }) => {
    const documents: DocumentEntry[] = [];
    let next = after;
    do {
      // One more than is wanted tells whether there is another page.
      const wanted = Math.min(PORTION, limit - documents.length);
      const page = await reader.list(options.filter, next, wanted + 1);
      for (const document of page.slice(0, wanted)) documents.push(document);
      next = page.length > wanted ? documents.at(-1)?.id : undefined;
    } while (next !== undefined && documents.length < limit);
    return { documents, cursor: next === undefined ? undefined : makeCursor(next) };
  });
}

export async function* scanDocuments(
  live: LiveIndex,
  options: ScanOptions,
): AsyncGenerator<ScannedDocument, void, undefined> {
  checkNames('scan', options, ['filter', 'text', 'chunks']);
  const { filter, text = false, chunks = false } = options;
  for await (const page of pagesOf(filter, (use) => live.read(({ reader }) => use(reader)))) {
    for (const { chunks: chunkCount, ...entry } of page) {
      if (!text && !chunks) yield { ...entry, chunkCount };
      else {
        // Removed since the page was read, or changed so that the filter forbids it: not shown.
        const document = await live.read((snapshot) => documentIfAllowed(snapshot, entry.id, filter));
        if (document === undefined) continue;
        const { text: whole, chunks: cut, ...rest } = document;
        yield {
          ...rest,
          chunkCount: cut.length,
          ...(text && { text: whole }),
          ...(chunks && { chunks: cut }),
        };
      }
    }
  }
}

export function facetsOf(live: LiveIndex, field: string, options: FacetOptions): Promise<FacetValue[]> {
  checkNames('facets', options, ['filter', 'limit']);
  if (typeof field !== 'string') throw usage(`facets wants the name of a field, not ${String(field)}`);
  const limit = checkLimit('facets', options.limit ?? FACET_LIMIT, MOST_FACETS);
  return live.read(async ({ reader }) => (await reader.facets(field, options.filter, limit)).values);
}

/** The document, unless the filter forbids it: then it is as if it did not exist. */
export async function documentIfAllowed(
  { reader }: Pick<Snapshot, 'reader'>,
  id: string,
  filter: Filter | undefined,
): Promise<StoredDocument | undefined> {
  if (filter === undefined) return reader.document(id);
  const allowed = await reader.select(filter);
  const document = await reader.document(id);
  const first = document?.chunks[0];
  if (first !== undefined) return isAllowed(first.label, allowed) ? document : undefined;
  // A document without chunks is in no set of labels.
  const documents = await reader.list({ and: [filter, { $id: id }] }, undefined, 1);
  return documents.length === 1 ? document : undefined;
}

/** Which ids exist and are allowed; same order. */
export async function whichAllowed(
  { reader }: Pick<Snapshot, 'reader'>,
  ids: string[],
  filter: Filter | undefined,
): Promise<boolean[]> {
  if (filter === undefined) return reader.has(ids);
  const allowed = new Set<string>();
  for (let from = 0; from < ids.length; from += PORTION) {
    const $id = ids.slice(from, from + PORTION);
    const documents = await reader.list({ and: [filter, { $id }] }, undefined, PORTION);
    for (const { id } of documents) allowed.add(id);
  }
  return ids.map((id) => allowed.has(id));
}

/** Opaque to callers, and checked, so that it can become something else. */
function makeCursor(after: string): string {
  return Buffer.from(JSON.stringify({ after }), 'utf8').toString('base64url');
}

function openCursor(cursor: unknown): string {
  try {
    const { after } = JSON.parse(Buffer.from(cursor as string, 'base64url').toString('utf8')) as {
      after: unknown;
    };
    if (typeof after === 'string') return after;
  } catch {
    // Told below.
  }
  throw usage(`list got a cursor that no list has given: ${String(cursor).slice(0, 80)}`);
}

function checkLimit(call: string, limit: unknown, most: number): number {
  if (Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= most) return limit as number;
  throw usage(`${call}: limit must be a whole number from 1 to ${most}, not ${String(limit)}`);
}

export function checkNames(call: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw usage(`the options of ${call} must be an object, not ${String(options)}`);
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    throw new SluiceError('SLUICE_USAGE', `${call} has no option "${name}"`, {
      hint: `it knows ${known.join(', ')}`,
    });
  }
}

function usage(message: string): SluiceError {
  return new SluiceError('SLUICE_USAGE', message);
}
