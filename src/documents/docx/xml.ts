import { Parser } from 'htmlparser2';

/** Deepest nesting: Word writes under a hundred levels, and the parser's time grows with the square of the depth. */
const MAX_DEPTH = 1000;
/** Bytes that are decoded at a time: a part of 100 MB is never one string. */
const PORTION_BYTES = 256 * 1024;

/** Namespaces of word processing, of the usual and of the strict form. */
const WORD_NAMESPACE =
  /^http:\/\/(?:schemas\.openxmlformats\.org|purl\.oclc\.org\/ooxml)\/wordprocessingml\/(?:2006\/)?main$/;

export type Attributes = Readonly<Record<string, string>>;

export interface XmlVisitor {
  /** `name` is `w:p` whatever prefix the file has for the namespace of word processing; so are attributes. */
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(data: string): void;
}

/**
 * Reads XML in portions. Entities that a file declares stay as they are: nothing grows while it is read.
 * @throws Error for what nests too deep, and what the visitor throws
 */
export function readXml(bytes: Uint8Array, visitor: XmlVisitor): void {
  let prefix = 'w:';
  let depth = 0;
  const known = (name: string) =>
    prefix !== 'w:' && name.startsWith(prefix) ? `w:${name.slice(prefix.length)}` : name;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (depth++ === 0) prefix = wordPrefix(attributes) ?? prefix;
        if (depth > MAX_DEPTH) throw new Error(`its XML nests over ${MAX_DEPTH} levels deep`);
        visitor.open(known(name), prefix === 'w:' ? attributes : renamed(attributes, known));
      },
      onclosetag(name) {
        depth--;
        visitor.close(known(name));
      },
      ontext: (data) => visitor.text(data),
    },
    { xmlMode: true, decodeEntities: true },
  );
  const decoder = new TextDecoder(encodingOf(bytes));
  for (let at = 0; at < bytes.length; at += PORTION_BYTES) {
    parser.write(decoder.decode(bytes.subarray(at, at + PORTION_BYTES), { stream: true }));
  }
  parser.write(decoder.decode());
  parser.end();
}

/** XML without a declared encoding is UTF-8, or UTF-16 with its mark. */
function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}

function wordPrefix(attributes: Attributes): string | undefined {
  for (const [name, value] of Object.entries(attributes)) {
    if (!WORD_NAMESPACE.test(value)) continue;
    if (name === 'xmlns') return '';
    if (name.startsWith('xmlns:')) return `${name.slice('xmlns:'.length)}:`;
  }
  return undefined;
}

function renamed(attributes: Attributes, known: (name: string) => string): Attributes {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [known(name), value]));
}
