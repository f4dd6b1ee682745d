/** Writes small PDFs for tests, so that what is read from them is known to the letter. */

/** Fonts of the test files: F3 has ligatures at the codes 1 to 5, F4 is set in Chinese. */
export type PdfFont = 'Helvetica' | 'Courier' | 'Ligatures' | 'Chinese';

export interface DrawnText {
  text: string;
  /** Of the baseline's left end, from the lower left corner of the page, in points. */
  x: number;
  y: number;
  /** Default 10 points. */
  size?: number;
  font?: PdfFont;
  /** Of the text, counterclockwise. */
  degrees?: number;
}

export interface DrawnPage {
  texts?: DrawnText[];
  /** Default 600 by 800 points. */
  width?: number;
  height?: number;
  /** Of the page as it is shown, clockwise. */
  rotate?: number;
  /** Fields of a form, 200 points wide and 20 high, with what was filled in. */
  fields?: { value: string; x: number; y: number; hidden?: boolean }[];
  /** Instead of `texts`: what the page draws, as it is. */
  content?: string;
}

export interface PdfParts {
  pages: DrawnPage[];
  info?: Record<string, string>;
  bookmarks?: string[];
}

const FONT_NAMES: Record<PdfFont, string> = {
  Helvetica: 'F1',
  Courier: 'F2',
  Ligatures: 'F3',
  Chinese: 'F4',
};
const FONTS = [
  '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>',
  `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 0 /LastChar 127
   /Widths [${Array.from({ length: 128 }, (_, code) => (code > 0 && code < 6 ? 600 : 556)).join(' ')}]
   /Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [0 /.notdef 1 /ff /fi /fl /ffi /ffl] >> >>`,
  `<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [
   << /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000
      /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >>
      /FontDescriptor << /Type /FontDescriptor /FontName /STSong-Light /Flags 4 /FontBBox [0 -200 1000 900]
        /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 800 /StemV 80 >> >> ] >>`,
];

export function makePdf({ pages, info, bookmarks = [] }: PdfParts): Uint8Array {
  const objects: string[] = [];
  const add = (object: string) => objects.push(object);
  const pageAt = (index: number) => 7 + FONTS.length + 2 * index;
  const forms = pages.some((page) => page.fields) ? '/AcroForm << /Fields [<< /FT /Tx >>] >>' : '';
  const firstBookmark = pageAt(pages.length);
  add(
    `<< /Type /Catalog /Pages 2 0 R ${forms} ${bookmarks.length > 0 ? `/Outlines ${firstBookmark} 0 R` : ''} >>`,
  );
  const kids = pages.map((_, i) => `${pageAt(i)} 0 R`).join(' ');
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  add(
    `<< ${Object.entries(info ?? {})
      .map(([key, value]) => `/${key} ${literal(value)}`)
      .join(' ')} >>`,
  );
  while (objects.length < 6) add('null');
  for (const font of FONTS) add(font);
  for (const page of pages) {
    const { width = 600, height = 800, rotate = 0, fields = [] } = page;
    const content = page.content ?? (page.texts ?? []).map(drawing).join('\n');
    const fonts = FONTS.map((_, i) => `/F${i + 1} ${7 + i} 0 R`).join(' ');
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Rotate ${rotate} /Annots [${fields.map(field).join(' ')}] /Contents ${objects.length + 2} 0 R /Resources << /Font << ${fonts} >> >> >>`,
    );
    add(`<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`);
  }
  if (bookmarks.length > 0) addBookmarks(bookmarks, firstBookmark, add);
  return serialise(objects);
}

function addBookmarks(titles: readonly string[], first: number, add: (object: string) => void): void {
  add(
    `<< /Type /Outlines /First ${first + 1} 0 R /Last ${first + titles.length} 0 R /Count ${titles.length} >>`,
  );
  for (const [i, title] of titles.entries()) {
    const next = i + 1 < titles.length ? `/Next ${first + i + 2} 0 R` : '';
    add(`<< /Title ${literal(title)} /Parent ${first} 0 R ${next} >>`);
  }
}

function field({ value, x, y, hidden = false }: NonNullable<DrawnPage['fields']>[number]): string {
  return `<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /F ${hidden ? 2 : 4} /V ${literal(value)} /Rect [${x} ${y} ${x + 200} ${y + 20}] >>`;
}

function drawing({ text, x, y, size = 10, font = 'Helvetica', degrees = 0 }: DrawnText): string {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const matrix = [cos, sin, -sin, cos, x, y].map((value) => value.toFixed(4)).join(' ');
  const string =
    font === 'Chinese' ? `<${Buffer.from(text, 'utf16le').swap16().toString('hex')}>` : literal(text);
  return `BT /${FONT_NAMES[font]} ${size} Tf ${matrix} Tm ${string} Tj ET`;
}

function literal(text: string): string {
  return `(${text.replace(/[\\()]/g, (sign) => `\\${sign}`)})`;
}

function serialise(objects: readonly string[]): Uint8Array {
  let body = '%PDF-1.5\n';
  const at = objects.map((object, i) => {
    const start = Buffer.byteLength(body, 'latin1');
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return start;
  });
  const table = at.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('');
  const xref = Buffer.byteLength(body, 'latin1');
  const trailer = `<< /Size ${objects.length + 1} /Root 1 0 R /Info 3 0 R >>`;
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n${trailer}\nstartxref\n${xref}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(body, 'latin1'));
}

/** Lines one under another, from the top of a column down. */
export function column(lines: readonly string[], x: number, top: number, size = 10): DrawnText[] {
  return lines.map((text, i) => ({ text, x, y: top - i * size * 1.2, size }));
}
