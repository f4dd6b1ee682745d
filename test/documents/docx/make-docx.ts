/** Writes Word documents for tests: an archive of the given parts, and the parts that every document has. */
import { crc32, deflateRawSync } from 'node:zlib';

const NAMESPACE = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** @param parts by name; a string becomes UTF-8 */
export function zip(parts: Readonly<Record<string, string | Uint8Array>>, stored = false): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(parts)) {
    const bytes = Buffer.from(content as string);
    const packed = stored ? bytes : deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(stored ? 0 : 8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), fields, rest, Buffer.from(name)]));
    locals.push(local);
    at += local.length;
  }
  const list = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(central.length, 8);
  end.writeUInt16LE(central.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, list, end]);
}

const STYLES = {
  Heading1: '<w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr>',
  berschrift2: '<w:name w:val="heading 2"/>',
  Kapitel: '<w:name w:val="Kapitel"/><w:basedOn w:val="berschrift2"/>',
  Title: '<w:name w:val="Title"/>',
  Source: '<w:name w:val="Source Code"/>',
  Typed: '<w:name w:val="Typed"/><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr>',
  Bullets: '<w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr>',
  Circle: '<w:name w:val="Circle"/><w:basedOn w:val="Circle"/>',
};

export interface DocxParts {
  /** Contents of w:body. */
  body: string;
  /** Contents of w:footnotes. */
  footnotes?: string;
  /** Contents of cp:coreProperties. */
  core?: string;
  others?: Record<string, string>;
}

export function makeDocx({ body, footnotes, core, others = {} }: DocxParts): Buffer {
  const word = (root: string, content: string) =>
    `<?xml version="1.0" encoding="UTF-8"?><w:${root} xmlns:w="${NAMESPACE}">${content}</w:${root}>`;
  const styles = Object.entries(STYLES).map(
    ([id, content]) => `<w:style w:type="paragraph" w:styleId="${id}">${content}</w:style>`,
  );
  return zip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': `<Relationships><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': word('document', `<w:body>${body}</w:body>`),
    'word/styles.xml': word('styles', styles.join('')),
    ...(footnotes !== undefined && { 'word/footnotes.xml': word('footnotes', footnotes) }),
    ...(core !== undefined && {
      'docProps/core.xml': `<cp:coreProperties xmlns:cp="cp" xmlns:dc="dc">${core}</cp:coreProperties>`,
    }),
    ...others,
  });
}

/** A paragraph: a text, or runs as they are. */
export function p(content: string, properties = ''): string {
  const runs = content.startsWith('<') ? content : r(content);
  return `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${runs}</w:p>`;
}

export function r(text: string, properties = ''): string {
  const marks = properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`;
  return `<w:r>${marks}<w:t xml:space="preserve">${text}</w:t></w:r>`;
}

export function styled(style: string, text: string): string {
  return p(text, `<w:pStyle w:val="${style}"/>`);
}

export function item(text: string, level = 0): string {
  return p(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`);
}

/** @param rows cells as XML */
export function table(rows: readonly (readonly string[])[]): string {
  return `<w:tbl>${rows.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${cell}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`;
}
