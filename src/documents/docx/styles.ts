import { readXml, type XmlVisitor } from './xml.js';

/** What a paragraph style says about the paragraphs that have it. */
export interface ParagraphStyle {
  /** 1 to 6, or 0 for what is no heading. */
  readonly level: number;
  readonly title: boolean;
  readonly code: boolean;
  readonly list: boolean;
}

export const PLAIN_STYLE: ParagraphStyle = { level: 0, title: false, code: false, list: false };

interface DeclaredStyle {
  name: string;
  basedOn: string | undefined;
  outline: number | undefined;
  numbered: boolean | undefined;
  font: string | undefined;
}

const CODE_STYLE = /\bcode\b|source ?code|listing|preformatted|verbatim|macro text|^plain text$/i;
const CODE_FONT = /courier|consolas|mono|menlo|fixed|typewriter|source code/i;
/** Styles build on one another; a longer chain is a circle. */
const MAX_CHAIN = 20;

/** @returns styles by their ids */
export function readStyles(bytes: Uint8Array | undefined): ReadonlyMap<string, ParagraphStyle> {
  const declared = new Map<string, DeclaredStyle>();
  if (bytes) readXml(bytes, new StyleVisitor(declared));
  return new Map([...declared.keys()].map((id) => [id, resolve(id, declared)]));
}

class StyleVisitor implements XmlVisitor {
  #style: DeclaredStyle | undefined;

  constructor(private readonly styles: Map<string, DeclaredStyle>) {}

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    if (tag === 'w:style') {
      const id = attributes['w:styleId'];
      const paragraph = attributes['w:type'] === undefined || attributes['w:type'] === 'paragraph';
      this.#style = {
        name: '',
        basedOn: undefined,
        outline: undefined,
        numbered: undefined,
        font: undefined,
      };
      if (id !== undefined && paragraph) this.styles.set(id, this.#style);
    }
    const style = this.#style;
    if (!style) return;
    const value = attributes['w:val'];
    if (tag === 'w:name') style.name = value ?? '';
    else if (tag === 'w:basedOn') style.basedOn = value;
    else if (tag === 'w:outlineLvl') style.outline = Number(value);
    else if (tag === 'w:numId') style.numbered = value !== '0';
    else if (tag === 'w:rFonts') style.font = attributes['w:ascii'];
  }

  close(tag: string): void {
    if (tag === 'w:style') this.#style = undefined;
  }

  text(): void {}
}

/** What a style doesn't say itself, the one says that it builds on; names speak for the style that has them. */
function resolve(id: string, declared: ReadonlyMap<string, DeclaredStyle>): ParagraphStyle {
  const chain: DeclaredStyle[] = [];
  for (let style = declared.get(id); style && chain.length < MAX_CHAIN; ) {
    chain.push(style);
    style = style.basedOn === undefined ? undefined : declared.get(style.basedOn);
  }
  const own = <T>(read: (style: DeclaredStyle) => T | undefined) =>
    chain.map(read).find((value) => value !== undefined);
  return {
    level: own((style) => headingLevel(style)) ?? 0,
    title: /^title$/i.test(declared.get(id)?.name ?? ''),
    code:
      chain.some((style) => CODE_STYLE.test(style.name)) || CODE_FONT.test(own((style) => style.font) ?? ''),
    list:
      own((style) => style.numbered) ?? chain.some((style) => /^list (?:bullet|number)/i.test(style.name)),
  };
}

function headingLevel({ name, outline }: DeclaredStyle): number | undefined {
  if (outline !== undefined && Number.isFinite(outline)) return levelOfOutline(outline);
  const named = /^heading (\d)$/i.exec(name)?.[1];
  if (named !== undefined) return Math.min(6, Math.max(1, Number(named)));
  return /^title$/i.test(name) ? 1 : undefined;
}

/** Outline levels count from 0, and 9 is running text. */
export function levelOfOutline(outline: number): number {
  return outline >= 0 && outline < 9 ? Math.min(6, outline + 1) : 0;
}
