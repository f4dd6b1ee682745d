import type { HtmlBlock } from '../html-flow.js';
import { BodyVisitor } from './body.js';
import type { ParagraphStyle } from './styles.js';
import { type Attributes, readXml, type XmlVisitor } from './xml.js';

/** Footnotes or endnotes by `footnote <id>`; the lines that separate them from the page are none. */
export function readNotes(
  bytes: Uint8Array | undefined,
  styles: ReadonlyMap<string, ParagraphStyle>,
): Map<string, HtmlBlock[]> {
  const visitor = new NotesVisitor(styles);
  if (bytes) readXml(bytes, visitor);
  return visitor.notes;
}

class NotesVisitor implements XmlVisitor {
  readonly notes = new Map<string, HtmlBlock[]>();
  #key = '';
  #body: BodyVisitor | undefined;

  constructor(private readonly styles: ReadonlyMap<string, ParagraphStyle>) {}

  open(name: string, attributes: Attributes): void {
    if (this.#body) this.#body.open(name, attributes);
    else if ((name === 'w:footnote' || name === 'w:endnote') && attributes['w:type'] === undefined) {
      this.#key = `${name.slice(2)} ${attributes['w:id']}`;
      this.#body = new BodyVisitor(this.styles);
    }
  }

  close(name: string): void {
    if (this.#body && (name === 'w:footnote' || name === 'w:endnote')) {
      this.notes.set(this.#key, this.#body.end());
      this.#body = undefined;
    } else this.#body?.close(name);
  }

  text(data: string): void {
    this.#body?.text(data);
  }
}
