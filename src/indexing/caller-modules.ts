/** Chunkers and readers of the caller. They run in the prepare worker, so they come as modules, not as objects. */

import { checkCallerChunks } from '../chunking/index.js';
import type { DocumentReader, ReadResult } from '../documents/index.js';
import { SluiceError, toSluiceError } from '../errors.js';
import type { Chunker, ChunkerContext } from '../model/chunker.js';
import { BLOCK_KIND_NAMES, DOCUMENT_FORMATS, type Document } from '../model/document.js';
import type { ModuleCalls } from './module-calls.js';

/** A reader in a module also says what its texts depend on: another fingerprint is another index. */
export interface ModuleReader extends DocumentReader {
  readonly fingerprint: string;
}

/** A file of JSONL is many documents, which no reader makes. */
const FORMATS: readonly string[] = DOCUMENT_FORMATS.filter((format) => format !== 'jsonl');

/**
 * Loads the module whose default export is a Chunker, or a function that makes one of a ChunkerContext.
 * @throws SLUICE_MODULE_INVALID, SLUICE_MODULE_STOPPED
 */
export async function loadChunker(
  url: string,
  context: ChunkerContext,
  calls: ModuleCalls,
): Promise<Chunker> {
  const made = await defaultExport(url, 'chunker', context, calls);
  const chunker = made as Partial<Chunker> | null | undefined;
  if (typeof chunker?.chunk !== 'function') {
    throw invalid(
      url,
      'chunker',
      'its default export is no Chunker and makes none',
      'it must have a method chunk(document)',
    );
  }
  requireFingerprint(url, 'chunker', chunker.fingerprint);
  return {
    // Marked, so that it is never taken for a chunker of Sluice's own.
    fingerprint: `module(${chunker.fingerprint})`,
    parents: chunker.parents === true,
    chunk: async (document) => {
      return called(`the chunker failed on ${document.id}`, async () => {
        const chunks: unknown = await calls.call(url, document.id, () => chunker.chunk!(ownCopy(document)));
        // Looking at what came back may run code of the caller's too.
        checkCallerChunks(document, chunks);
        return chunks;
      });
    },
  };
}

/**
 * Loads modules whose default export is a reader with a fingerprint, a list of them, or a function that makes either.
 * @throws SLUICE_MODULE_INVALID, SLUICE_MODULE_STOPPED
 */
export async function loadReaders(urls: readonly string[], calls: ModuleCalls): Promise<ModuleReader[]> {
  const readers: ModuleReader[] = [];
  for (const url of urls) {
    const made = await defaultExport(url, 'reader', undefined, calls);
    for (const reader of Array.isArray(made) ? made : [made]) readers.push(checkedReader(url, reader, calls));
  }
  return readers;
}

/** What is stored is the reader's document, whatever a chunker does to the one that it is handed. */
function ownCopy({ text, ...rest }: Document): Document {
  return { ...structuredClone(rest), text };
}

async function defaultExport(
  url: string,
  what: string,
  argument: unknown,
  calls: ModuleCalls,
): Promise<unknown> {
  try {
    return await calls.call(url, undefined, async () => {
      const { default: exported } = (await import(url)) as { default?: unknown };
      return typeof exported === 'function' ? exported(argument) : exported;
    });
  } catch (cause) {
    if (SluiceError.is(cause)) throw cause;
    throw invalid(
      url,
      what,
      `it does not load: ${(cause as Error)?.message ?? cause}`,
      'name a file with an ES module',
      cause,
    );
  }
}

function checkedReader(url: string, given: unknown, calls: ModuleCalls): ModuleReader {
  const reader = given as Partial<ModuleReader> | null | undefined;
  const wrong = (what: string) =>
    invalid(url, 'reader', what, 'a reader has name, fingerprint, extensions, format and read(bytes, entry)');
  if (typeof reader?.read !== 'function')
    throw wrong('its default export is no DocumentReader and makes none');
  if (typeof reader.name !== 'string' || reader.name === '') throw wrong('it has no name');
  requireFingerprint(url, 'reader', reader.fingerprint);
  const { name, extensions, format, fingerprint } = reader as ModuleReader;
  if (
    !Array.isArray(extensions) ||
    extensions.length === 0 ||
    !extensions.every((one) => typeof one === 'string')
  ) {
    throw wrong(`the extensions of ${name} are no list of strings`);
  }
  if (!FORMATS.includes(format)) throw wrong(`the format of ${name} is not one of ${FORMATS.join(', ')}`);
  return {
    name,
    fingerprint,
    extensions: [...extensions],
    format,
    read: async (bytes, entry) => {
      const result = await calls.call(url, entry.source, () => reader.read!(bytes, { ...entry }));
      checkResult(name, entry.source, result);
      return result;
    },
  };
}

async function called<T>(failure: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toSluiceError(error, 'SLUICE_MODULE_INVALID', failure);
  }
}

/** A position outside of the text would be found out far from here, or not at all. */
function checkResult(reader: string, source: string, result: ReadResult): void {
  const trouble = typeof result?.text === 'string' ? structureTrouble(result) : 'it gave no text';
  if (trouble === undefined) return;
  throw new SluiceError(
    'SLUICE_MODULE_INVALID',
    `the reader ${reader} breaks its contract on ${source}: ${trouble}`,
    {
      hint: 'docs/chunking.md says what must hold',
      details: { source, reader },
    },
  );
}

/** Far above any file's last one. */
const MAX_LINE = 0x7fff_ffff;

function structureTrouble({ text, title, pages, rawLines, structure }: ReadResult): string | undefined {
  const ascends = (positions: unknown) =>
    positions instanceof Uint32Array &&
    positions.every((at, i) => at <= text.length && (i === 0 || at >= positions[i - 1]!));
  if (title !== undefined && typeof title !== 'string') return 'its title is no string';
  if (pages !== undefined && !(ascends(pages) && pages[0] === 0))
    return 'pages does not ascend within the text, from 0 on';
  if (rawLines !== undefined) {
    const { at, line, follows } = rawLines ?? {};
    if (!ascends(at) || at[0] !== 0) return 'rawLines.at does not ascend within the text, from 0 on';
    const columns = line instanceof Uint32Array && follows instanceof Uint8Array;
    if (!columns || line.length !== at.length || follows.length !== at.length)
      return 'the columns of rawLines differ in length or type';
    if (line.some((one) => one < 1 || one > MAX_LINE)) return 'rawLines names a line that no file has';
  }
  if (structure === undefined) return undefined;
  const { sections, blocks } = structure;
  if (!ascends(sections?.start)) return 'sections.start does not ascend within the text';
  if (!ascends(blocks?.start)) return 'blocks.start does not ascend within the text';
  const count = sections.start.length;
  if (!sections.heading?.every?.((heading: unknown) => typeof heading === 'string'))
    return 'a heading of its sections is no string';
  if (sections.name !== undefined && !sections.name?.every?.((name: unknown) => typeof name === 'string'))
    return 'a name of its sections is no string';
  if (!(blocks.kind instanceof Uint8Array) || blocks.kind.some((kind) => kind >= BLOCK_KIND_NAMES.length))
    return 'a block has a kind that there is not';
  if (sections.start[0] !== 0 || sections.end?.[0] !== text.length) return 'section 0 is not the whole text';
  if (
    [sections.end, sections.level, sections.parent, sections.heading].some(
      (column) => column?.length !== count,
    ) ||
    (sections.name !== undefined && sections.name.length !== count)
  ) {
    return 'the columns of its sections differ in length';
  }
  if (!sections.end.every((end, i) => end >= sections.start[i]! && end <= text.length)) {
    return 'a section ends before it begins, or behind the text';
  }
  if (!sections.parent.every((parent, i) => (i === 0 ? parent === -1 : parent >= 0 && parent < i))) {
    return 'a section comes before its parent';
  }
  if ([blocks.end, blocks.kind, blocks.section].some((column) => column?.length !== blocks.start.length)) {
    return 'the columns of its blocks differ in length';
  }
  const fits = (end: number, i: number) =>
    end >= blocks.start[i]! && end <= (blocks.start[i + 1] ?? text.length);
  if (!blocks.end.every(fits)) return 'its blocks overlap';
  return blocks.section.every((section) => section < count)
    ? undefined
    : 'a block lies in a section that there is not';
}

function requireFingerprint(url: string, what: string, fingerprint: unknown): void {
  if (typeof fingerprint === 'string' && fingerprint !== '') return;
  throw invalid(
    url,
    what,
    'it has no fingerprint',
    'give it a string that changes whenever the same file would come out otherwise: it goes into the passport of the index',
  );
}

function invalid(url: string, what: string, why: string, hint: string, cause?: unknown): SluiceError {
  return new SluiceError('SLUICE_MODULE_INVALID', `the ${what} module ${url} cannot be used: ${why}`, {
    hint,
    ...(cause !== undefined && { cause }),
    details: { url },
  });
}
