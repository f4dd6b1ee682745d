import { BlockKind, type Metadata } from '../model/document.js';
import { toMetadata } from './clean.js';
import { DroppedCount } from './dropped.js';
import { readJson } from './json.js';
import { LineTable } from './lines.js';
import { addMarkdownBlocks } from './markdown.js';
import { type CellText, type NotebookCell, notebookCells } from './notebook-cells.js';
import { outputText, spelled } from './notebook-output.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';
import { RawLineMap } from './raw-line-map.js';

/**
 * A Jupyter notebook as Markdown: Markdown cells with their headings as sections, code cells as fenced code of the
 * notebook's language, raw cells as prose. Of outputs the plain text is kept, as fenced code, up to 2,000 characters
 * each; images and other forms are dropped. What is no notebook is read as JSON. Metadata: `language`.
 */
export function readNotebook(source: string): ParsedText {
  const notebook = notebookCells(source);
  if (!notebook) return readJson(source);
  const language = languageOf(notebook.metadata);
  const writer = new NotebookWriter(language ?? '');
  for (const cell of notebook.cells) writer.cell(cell);
  return writer.build(titleOf(notebook.metadata), language === undefined ? {} : { language });
}

class NotebookWriter {
  readonly #pieces: string[] = [];
  readonly #outline = new Outline();
  readonly #lines = new RawLineMap();
  readonly #dropped = new DroppedCount();
  #length = 0;

  constructor(readonly language: string) {}

  cell(cell: NotebookCell): void {
    const { source } = cell;
    if (cell.type === 'code') {
      this.#fenced(source, this.language);
      for (const output of cell.outputs) this.#output(output, cell.outputLine);
    } else if (source.text.trim() !== '') {
      const start = this.#begin();
      this.#add(source.text.trimEnd(), source.line, source.follows);
      if (cell.type === 'raw') this.#outline.block(start, this.#length, BlockKind.prose);
      else addMarkdownBlocks(new LineTable(source.text.trimEnd()), 0, this.#outline, start);
    }
    if (cell.attachments !== undefined) this.#dropped.add('image', spelled(cell.attachments), false);
  }

  build(title: string | undefined, metadata: Metadata): ParsedText {
    const text = this.#pieces.join('');
    const rawLines = this.#lines.build();
    return {
      text,
      title: title ?? this.#outline.firstHeading(1) ?? this.#outline.firstHeading(),
      metadata: toMetadata(metadata),
      ...this.#outline.build(text.length),
      ...(rawLines && { rawLines }),
      ...this.#dropped.build(),
    };
  }

  #output(output: unknown, line: number): void {
    const { text, cut, image, markup } = outputText(output);
    this.#fenced({ text, line, follows: false }, '');
    this.#dropped.add('long cell output', cut, true);
    this.#dropped.add('image', image, false);
    this.#dropped.add('cell output in another form', markup, text === '' && image === '');
  }

  #fenced({ text, line, follows }: CellText, language: string): void {
    if (text.trim() === '') return;
    const start = this.#begin();
    const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
    const fence = '`'.repeat(longest + 1);
    this.#add(`${fence}${language}\n`, line, false);
    const body = text.trimEnd();
    this.#add(`${body}\n`, line, follows);
    this.#add(fence, line + (follows ? new LineTable(body).count - 1 : 0), false);
    this.#outline.block(start, this.#length, BlockKind.code);
  }

  /** A blank line between blocks; returns where the next one begins. */
  #begin(): number {
    if (this.#length > 0) {
      this.#pieces.push('\n\n');
      this.#length += 2;
    }
    return this.#length;
  }

  #add(text: string, line: number, follows: boolean): void {
    this.#lines.break();
    this.#lines.add(this.#length, line, 0, follows);
    this.#pieces.push(text);
    this.#length += text.length;
  }
}

function languageOf(metadata: unknown): string | undefined {
  const language = fieldOf(fieldOf(metadata, 'language_info'), 'name');
  const kernel = fieldOf(fieldOf(metadata, 'kernelspec'), 'language');
  const found = [language, kernel].find((name) => typeof name === 'string' && /^[\w+#.-]+$/.test(name));
  return found === undefined ? undefined : String(found).toLowerCase();
}

function titleOf(metadata: unknown): string | undefined {
  const title = fieldOf(metadata, 'title');
  return typeof title === 'string' && title.trim() !== '' ? title : undefined;
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
