/**
 * PDF to text with structure. Answers: what a reader sees, in the order in which it is read, page by page.
 *
 *     file ─library→ items ─runs→ runs ─furniture, columns→ lines ─paragraphs→ paragraphs ─headings, join→ text
 *
 * Costs 10 to 20 ms a page and about 1 KB of memory a line of text; one file at a time, so that several large ones do
 * not add up. Not for: pictures of text (they need OCR), notes in the margin, drawing.
 */
import { SluiceError } from '../../errors.js';
import type { DroppedText } from '../../model/document.js';
import { unreadableError } from '../file-errors.js';
import type { DocumentReader, ReadResult } from '../reader.js';
import { assemblePages } from './assemble.js';
import { bookmarkTitles } from './headings.js';
import { openOptions, type PdfFile, pdfLibrary } from './library.js';
import { unpacksTooLarge } from './packed-streams.js';
import { type PageText, readPage } from './page.js';
import { propertiesOf } from './properties.js';

/** Reads one file at a time: the work is on one thread anyway, and an open file may hold some hundred megabytes. */
export const pdfReader: DocumentReader = {
  name: 'pdf',
  extensions: ['pdf'],
  format: 'pdf',
  read: (bytes, { source }) => {
    const result = turn.then(() => readPdf(bytes, source));
    turn = result.catch(() => {});
    return result;
  },
};

let turn: Promise<unknown> = Promise.resolve();

/**
 * @throws SLUICE_FILE_ENCRYPTED for a file that opens with a password only, SLUICE_FILE_UNREADABLE for a broken one,
 *   SLUICE_DOCUMENT_EMPTY for one of pictures, SLUICE_FILE_TOO_LARGE for one that would unpack to fill the memory
 */
export async function readPdf(bytes: Uint8Array, source: string): Promise<ReadResult> {
  if (await unpacksTooLarge(bytes)) throw tooLarge(source);
  return withFile(bytes, source, true, async (file) => {
    const read: ReadPages = { pages: new Map(), failures: new Map(), slowMs: 0 };
    await readPages(file, [...Array(file.numPages).keys()], read);
    const damaged = await rescue(bytes, source, read);
    return resultOf(file, source, read, damaged);
  });
}

async function withFile<T>(
  bytes: Uint8Array,
  source: string,
  stopAtErrors: boolean,
  use: (file: PdfFile) => Promise<T>,
): Promise<T> {
  const { getDocument } = await pdfLibrary();
  // The library takes the bytes for itself, and refuses Node's buffers.
  const task = getDocument(openOptions(Uint8Array.from(bytes), stopAtErrors));
  try {
    const file = await task.promise.catch((cause) => {
      throw openError(source, cause);
    });
    return await use(file);
  } finally {
    await task.destroy().catch(() => {});
  }
}

/** Pages that were read, and why the others were not; by their index from 0. */
interface ReadPages {
  readonly pages: Map<number, PageText>;
  readonly failures: Map<number, string>;
  /** What pages took beyond PATIENCE_MS, together. */
  slowMs: number;
}

/** Time that each page may take, and the most that all slow ones may take beyond it: a file must end. */
const PATIENCE_MS = 1000;
const MAX_SLOW_MS = 120_000;

type FileInfo = Readonly<Record<string, unknown>>;

function infoOf(file: PdfFile): Promise<FileInfo> {
  return file.getMetadata().then(
    ({ info }) => info,
    () => ({}),
  );
}

async function readPages(file: PdfFile, indexes: readonly number[], read: ReadPages): Promise<void> {
  const isForm = (await infoOf(file)).IsAcroFormPresent === true;
  for (const index of indexes) {
    const started = performance.now();
    try {
      if (read.slowMs > MAX_SLOW_MS) throw new Error('other pages took too long');
      const page = await file.getPage(index + 1);
      read.pages.set(index, await readPage(page, isForm));
      read.failures.delete(index);
      page.cleanup();
    } catch (cause) {
      read.failures.set(index, (cause as Error | undefined)?.message ?? String(cause));
    }
    read.slowMs += Math.max(0, performance.now() - started - PATIENCE_MS);
  }
}

/**
 * Reads what can be read of damaged pages. Some faults make a page empty and do not fail: where a page failed, or all
 * are empty, the empty ones are read again too.
 * @returns the pages that are damaged, by their index
 */
async function rescue(bytes: Uint8Array, source: string, read: ReadPages): Promise<number[]> {
  const failed = new Set(read.failures.keys());
  const empty = [...read.pages].flatMap(([index, { frames }]) => (frames.length === 0 ? [index] : []));
  if (failed.size === 0 && empty.length < read.pages.size) return [];
  const doubtful = [...failed, ...empty].sort((a, b) => a - b);
  await withFile(bytes, source, false, (file) => readPages(file, doubtful, read));
  return doubtful.filter((index) => failed.has(index) || read.pages.get(index)!.frames.length > 0);
}

async function resultOf(
  file: PdfFile,
  source: string,
  { pages, failures }: ReadPages,
  damaged: readonly number[],
): Promise<ReadResult> {
  if (pages.size === 0) {
    const reason = failures.values().next().value ?? 'it has no pages';
    throw unreadableError(source, new Error(`none of its pages can be read (${reason})`));
  }
  // Broken bookmarks are no reason to lose the text, and neither are broken properties.
  const bookmarks = await file.getOutline().catch(() => null);
  const inOrder = Array.from({ length: file.numPages }, (_, index) => pages.get(index));
  const assembled = assemblePages(inOrder, bookmarkTitles(bookmarks));
  if (assembled.text.trim() === '') throw noText(source, file.numPages);
  const { title = assembled.largest, metadata } = propertiesOf(await infoOf(file), file.numPages);
  const { text, structure, dropped } = assembled;
  return {
    text,
    structure,
    pages: assembled.pages,
    ...(title !== undefined && { title }),
    metadata: {
      ...metadata,
      ...(damaged.length > 0 && { damagedPages: damaged.map((index) => index + 1) }),
    },
    dropped: [...dropped, ...lostText(failures, damaged, inOrder)],
  };
}

/** Nobody knows how much text such pages hold: the count is 0, the reason tells. */
function lostText(
  failures: ReadonlyMap<number, string>,
  damaged: readonly number[],
  pages: readonly (PageText | undefined)[],
): DroppedText[] {
  const reasons = [
    failures.size > 0 && 'unreadable page',
    damaged.length > failures.size && 'damaged part of a page',
    pages.some((page) => page?.cut === true) && 'page with too much text',
  ];
  return reasons.flatMap((reason) => (reason === false ? [] : [{ reason, chars: 0, isText: true }]));
}

function openError(source: string, cause: unknown): SluiceError {
  const { name, message } = cause as Error;
  if (name === 'PasswordException') {
    return new SluiceError('SLUICE_FILE_ENCRYPTED', `${source} opens with a password only`, {
      hint: 'save a copy without one (qpdf --decrypt, or print it to a file), or exclude it',
      cause,
      details: { source },
    });
  }
  return unreadableError(source, new Error(`it is no whole PDF (${message})`, { cause }));
}

function tooLarge(source: string): SluiceError {
  return new SluiceError('SLUICE_FILE_TOO_LARGE', `a part of ${source} unpacks to over 256 MiB`, {
    hint: 'exclude it: no page has that much text',
    details: { source },
  });
}

function noText(source: string, pages: number): SluiceError {
  const what = pages === 1 ? 'its page is an image or empty' : `its ${pages} pages are images or empty`;
  return new SluiceError('SLUICE_DOCUMENT_EMPTY', `${source} holds no text: ${what}`, {
    hint: 'if it was scanned, run OCR over it first (ocrmypdf in.pdf out.pdf)',
    details: { source, pages },
  });
}
