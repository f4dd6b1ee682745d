import type { PdfAnnotation, PdfTextItem } from './library.js';

const FONT_SIZE = 10;
/** Width of a letter, about, in ems. */
const LETTER_WIDTH = 0.5;

/**
 * What was filled into the fields of a form, and written over its pages, as text at its place: what a page draws holds
 * the questions alone.
 */
export function* fieldItems(annotations: readonly PdfAnnotation[]): Generator<PdfTextItem> {
  for (const annotation of annotations) {
    if (annotation.hidden === true || annotation.password === true) continue;
    const [left = 0, bottom = 0, , top = 0] = annotation.rect ?? [];
    const lines = contentOf(annotation).split(/\r\n?|\n/);
    const given = annotation.defaultAppearanceData?.fontSize ?? 0;
    const size = given > 0 ? given : Math.min(FONT_SIZE, Math.max(4, (top - bottom) / (lines.length * 1.2)));
    // One line stands in the middle of its field, several begin at the top.
    const first = lines.length === 1 ? (top + bottom) / 2 - size * 0.35 : top - size;
    for (const [i, line] of lines.entries()) {
      yield {
        str: line,
        dir: 'ltr',
        transform: [size, 0, 0, size, left, first - i * size * 1.2],
        width: line.length * size * LETTER_WIDTH,
        height: size,
        fontName: 'field',
      };
    }
  }
}

function contentOf({ subtype, fieldType, fieldValue, contentsObj }: PdfAnnotation): string {
  if (subtype === 'FreeText') return contentsObj?.str ?? '';
  // Buttons have names for their states, signatures have bytes.
  if (subtype !== 'Widget' || (fieldType !== 'Tx' && fieldType !== 'Ch')) return '';
  if (Array.isArray(fieldValue)) return fieldValue.filter((value) => typeof value === 'string').join(', ');
  return typeof fieldValue === 'string' ? fieldValue : '';
}
