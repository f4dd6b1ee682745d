import type { HtmlBlock } from '../html-flow.js';
import { DocxFlow } from './flow.js';
import { levelOfOutline, type ParagraphStyle, PLAIN_STYLE } from './styles.js';
import type { Attributes, XmlVisitor } from './xml.js';

/** Elements whose contents no reader sees, by why; '' for what is said elsewhere or is no text. */
const SKIPPED: Readonly<Record<string, string>> = {
  'w:del': 'tracked deletion',
  'w:moveFrom': 'tracked deletion',
  'mc:Fallback': '',
  'w:rt': '',
  'w:instrText': '',
  'w:delInstrText': '',
  'w:pPrChange': '',
  'w:rPrChange': '',
  'w:sectPr': '',
  'w:tabs': '',
};

interface Paragraph {
  readonly pieces: string[];
  style: ParagraphStyle;
  /** 1 to 6 for a heading, 0 for none; undefined where the style says it. */
  outline: number | undefined;
  listLevel: number;
  inList: boolean | undefined;
  /** Text boxes and notes that hang on it: they come after it. */
  readonly after: (readonly HtmlBlock[])[];
}

/** One stream of paragraphs: the body, or a text box in one of its paragraphs. */
interface Story {
  readonly flow: DocxFlow;
  paragraph: Paragraph | undefined;
  /** Columns that each open cell covers. */
  readonly spans: number[];
}

/** Hears the elements of a body or of notes and makes blocks of them. */
export class BodyVisitor implements XmlVisitor {
  /** Characters left out that are not white space, by reason. */
  readonly dropped = new Map<string, number>();
  /** The first paragraph in the style of a title. */
  title: string | undefined;
  readonly #stories: Story[] = [newStory()];
  #depth = 0;
  /** Depth of the element that is skipped, 0 for none. */
  #skippedFrom = 0;
  #skippedFor = '';
  #inText = false;
  #hiddenRun = false;
  #inRunProperties = false;

  constructor(
    private readonly styles: ReadonlyMap<string, ParagraphStyle>,
    /** The blocks of a footnote or endnote by its kind and id: `footnote 3`. */
    private readonly notes: ReadonlyMap<string, readonly HtmlBlock[]> = new Map(),
  ) {}

  open(name: string, attributes: Attributes): void {
    this.#depth++;
    if (name === 'w:t' || name === 'w:delText' || name === 'm:t') this.#inText = true;
    if (this.#skippedFrom > 0) return;
    const reason = SKIPPED[name];
    if (reason !== undefined) {
      this.#skippedFrom = this.#depth;
      this.#skippedFor = reason;
      return;
    }
    this.#openStructure(name, attributes);
    if (this.#story.paragraph) this.#openInParagraph(this.#story.paragraph, name, attributes);
  }

  close(name: string): void {
    const depth = this.#depth--;
    if (name === 'w:t' || name === 'w:delText' || name === 'm:t') this.#inText = false;
    if (this.#skippedFrom > 0) {
      if (this.#skippedFrom === depth) this.#skippedFrom = 0;
      return;
    }
    const story = this.#story;
    if (name === 'w:p') this.#endParagraph(story);
    else if (name === 'w:tc') story.flow.closeCell(story.spans.pop() ?? 1);
    else if (name === 'w:tbl') story.flow.closeTable();
    else if (name === 'w:txbxContent') this.#closeTextBox();
    else if (name === 'w:r') this.#hiddenRun = false;
    else if (name === 'w:rPr') this.#inRunProperties = false;
  }

  text(data: string): void {
    if (!this.#inText) return;
    if (this.#skippedFrom > 0) this.#drop(this.#skippedFor, data);
    else if (this.#hiddenRun) this.#drop('hidden text', data);
    else this.#story.paragraph?.pieces.push(data);
  }

  /** All blocks in order. */
  end(): HtmlBlock[] {
    while (this.#stories.length > 1) this.#closeTextBox();
    this.#endParagraph(this.#story);
    return this.#story.flow.end();
  }

  get #story(): Story {
    return this.#stories.at(-1)!;
  }

  #drop(reason: string, data: string): void {
    const chars = data.replace(/\s/g, '').length;
    if (reason !== '' && chars > 0) this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + chars);
  }

  #openStructure(name: string, attributes: Attributes): void {
    const story = this.#story;
    if (name === 'w:p') {
      this.#endParagraph(story);
      story.paragraph = newParagraph();
    } else if (name === 'w:tbl') story.flow.openTable();
    else if (name === 'w:tr') story.flow.openRow();
    else if (name === 'w:tc') {
      story.flow.openCell();
      story.spans.push(1);
    } else if (name === 'w:gridSpan' && story.spans.length > 0) {
      story.spans[story.spans.length - 1] = Math.min(64, Math.max(1, Number(attributes['w:val']) || 1));
    } else if (name === 'w:txbxContent') this.#stories.push(newStory());
  }

  #openInParagraph(paragraph: Paragraph, name: string, attributes: Attributes): void {
    const value = attributes['w:val'];
    // The mark at a paragraph's end has properties too: they say nothing about its text.
    if (name === 'w:r') this.#hiddenRun = false;
    else if (name === 'w:rPr') this.#inRunProperties = true;
    else if (name === 'w:vanish' && this.#inRunProperties) this.#hiddenRun = !isOff(value);
    else if (name === 'w:pStyle') paragraph.style = this.styles.get(value ?? '') ?? PLAIN_STYLE;
    else if (name === 'w:outlineLvl') paragraph.outline = levelOfOutline(Number(value));
    else if (name === 'w:numId') paragraph.inList = value !== '0';
    else if (name === 'w:ilvl') paragraph.listLevel = Math.min(9, Math.max(0, Number(value) || 0));
    else if (name === 'w:footnoteReference' || name === 'w:endnoteReference') {
      this.#note(paragraph, `${name.slice(2, -'Reference'.length)} ${attributes['w:id']}`);
    } else if (!this.#hiddenRun) paragraph.pieces.push(signOf(name, attributes));
  }

  #note(paragraph: Paragraph, key: string): void {
    const blocks = this.notes.get(key);
    if (!blocks || blocks.length === 0) return;
    const mark = `[${key.split(' ')[1]}]`;
    paragraph.pieces.push(mark);
    const [first, ...others] = blocks;
    paragraph.after.push([{ ...first!, text: `${mark} ${first!.text}` }, ...others]);
  }

  #endParagraph(story: Story): void {
    const { flow, paragraph, spans } = story;
    if (!paragraph) return;
    story.paragraph = undefined;
    const { style, outline, after } = paragraph;
    const verbatim = paragraph.pieces.join('');
    const level = spans.length > 0 ? 0 : (outline ?? style.level);
    const text = verbatim
      .replace(/[\t\u00A0 ]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim();
    if (style.title && text !== '') this.title ??= text;
    if (style.code && level === 0) flow.code(verbatim);
    else if (text === '') flow.add([]);
    else if (level > 0) flow.heading(text, level);
    else if (paragraph.inList ?? style.list) flow.item(text, paragraph.listLevel);
    else flow.prose(text);
    for (const blocks of after) flow.add(blocks);
  }

  #closeTextBox(): void {
    if (this.#stories.length === 1) return;
    this.#endParagraph(this.#story);
    const blocks = this.#stories.pop()!.flow.end();
    const { paragraph, flow } = this.#story;
    if (paragraph) paragraph.after.push(blocks);
    else flow.add(blocks);
  }
}

function newStory(): Story {
  return { flow: new DocxFlow(), paragraph: undefined, spans: [] };
}

function newParagraph(): Paragraph {
  return {
    pieces: [],
    style: PLAIN_STYLE,
    outline: undefined,
    listLevel: 0,
    inList: undefined,
    after: [],
  };
}

/** A property that is there is on, unless it says otherwise. */
function isOff(value: string | undefined): boolean {
  return value === '0' || value === 'false' || value === 'off';
}

/** The text of elements that stand for characters. */
function signOf(name: string, attributes: Attributes): string {
  if (name === 'w:tab') return '\t';
  if (name === 'w:cr') return '\n';
  if (name === 'w:br') return attributes['w:type'] === undefined ? '\n' : ' ';
  return name === 'w:noBreakHyphen' ? '-' : '';
}
