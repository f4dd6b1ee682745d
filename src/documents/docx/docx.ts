/**
 * Word documents (DOCX, DOCM) to text with structure. Answers: what a reader of the document sees with all changes
 * accepted. Macros are never looked at.
 *
 *     archive → styles, notes, properties → body → blocks of the same form as those of HTML → text
 *
 * Costs about 100 ms a megabyte of XML; a part is unpacked whole, its XML is read in portions. Not for: the layout
 * (pages are made by the program that prints), pictures, and text in charts and diagrams.
 */
import { SluiceError } from '../../errors.js';
import type { DroppedText } from '../../model/document.js';
import { unreadableError } from '../file-errors.js';
import { assemble } from '../html.js';
import type { DocumentReader, ReadResult } from '../reader.js';
import { BodyVisitor } from './body.js';
import { readNotes } from './notes.js';
import { readProperties } from './properties.js';
import { readStyles } from './styles.js';
import { readXml } from './xml.js';
import { PartTooLarge, ZipArchive } from './zip.js';

/** Largest part that is unpacked, in bytes; a novel has some 5 MB of XML. */
const MAX_PART_BYTES = 128 * 1024 * 1024;
/** First bytes of the container that old Word files and encrypted new ones lie in. */
const OLD_CONTAINER = [0xd0, 0xcf, 0x11, 0xe0];

export const docxReader: DocumentReader = {
  name: 'docx',
  extensions: ['docx', 'docm'],
  format: 'docx',
  read: (bytes, { source }) => readDocx(bytes, source),
};

/**
 * @throws SLUICE_FILE_ENCRYPTED for a document with a password, SLUICE_FILE_TOO_LARGE for one that unpacks to over
 *   128 MiB, SLUICE_FILE_UNREADABLE for what is no Word document or a broken one
 */
export function readDocx(bytes: Uint8Array, source: string): ReadResult {
  if (OLD_CONTAINER.every((byte, i) => bytes[i] === byte)) throw oldContainer(bytes, source);
  try {
    return readArchive(new ZipArchive(bytes), source);
  } catch (cause) {
    if (cause instanceof PartTooLarge) throw tooLarge(source, cause);
    throw unreadableError(source, cause);
  }
}

function readArchive(archive: ZipArchive, source: string): ReadResult {
  const part = (name: string) => archive.read(name, MAX_PART_BYTES);
  const main = mainPart(part('_rels/.rels'));
  const body = part(main);
  if (!body) throw unreadableError(source, new Error(`it is no Word document: it has no ${main}`));
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  const styles = readStyles(part(`${folder}styles.xml`));
  const notes = new Map([
    ...readNotes(part(`${folder}footnotes.xml`), styles),
    ...readNotes(part(`${folder}endnotes.xml`), styles),
  ]);
  const visitor = new BodyVisitor(styles, notes);
  readXml(body, visitor);
  const blocks = visitor.end();
  const { title = visitor.title ?? blocks.find(({ level }) => level > 0)?.text, ...metadata } =
    readProperties(part('docProps/core.xml'));
  const { text, sections, blocks: columns } = assemble(blocks);
  const dropped = [...visitor.dropped].map(([reason, chars]) => ({ reason, chars, isText: true }));
  return {
    text,
    ...(title !== undefined && { title }),
    metadata,
    structure: { sections, blocks: columns },
    dropped: [...dropped, ...besideTheBody(archive, folder)],
  };
}

/** Where the body is: nearly always in word/document.xml. */
function mainPart(relations: Uint8Array | undefined): string {
  let main = 'word/document.xml';
  if (!relations) return main;
  readXml(relations, {
    open: (name, attributes) => {
      if (name === 'Relationship' && /\/officeDocument$/.test(attributes.Type ?? '') && attributes.Target) {
        main = attributes.Target.replace(/^\//, '');
      }
    },
    close: () => {},
    text: () => {},
  });
  return main;
}

const BESIDE = [
  { name: /^header\d*\.xml$/, reason: 'repeated page header' },
  { name: /^footer\d*\.xml$/, reason: 'repeated page footer' },
  { name: /^comments\.xml$/, reason: 'comment' },
];
/** Headers and footers looked at: a document may have three a section, all alike. */
const MAX_BESIDE = 30;

/** What parts that are no part of the running text hold. */
function besideTheBody(archive: ZipArchive, folder: string): DroppedText[] {
  return BESIDE.flatMap(({ name, reason }) => {
    const parts = archive.names.filter(
      (part) => part.startsWith(folder) && name.test(part.slice(folder.length)),
    );
    let chars = 0;
    for (const part of parts.slice(0, MAX_BESIDE)) {
      const visitor = new BodyVisitor(new Map());
      readXml(archive.read(part, MAX_PART_BYTES)!, visitor);
      for (const { text } of visitor.end()) chars += text.replace(/\s/g, '').length;
    }
    return chars === 0 ? [] : [{ reason, chars, isText: true }];
  });
}

function oldContainer(bytes: Uint8Array, source: string): SluiceError {
  const encrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
    Buffer.from('EncryptedPackage', 'utf16le'),
  );
  if (!encrypted) return unreadableError(source, new Error('it is an old Word file: save it as .docx'));
  return new SluiceError('SLUICE_FILE_ENCRYPTED', `${source} opens with a password only`, {
    hint: 'save a copy without one, or exclude it',
    details: { source },
  });
}

function tooLarge(source: string, { part, bytes }: PartTooLarge): SluiceError {
  return new SluiceError(
    'SLUICE_FILE_TOO_LARGE',
    `${part} of ${source} unpacks to ${bytes} bytes, over the limit of ${MAX_PART_BYTES}`,
    { hint: 'split the document, or exclude it', details: { source, size: bytes, limit: MAX_PART_BYTES } },
  );
}
