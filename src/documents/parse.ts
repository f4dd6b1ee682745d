import type { DocumentFormat } from '../model/document.js';
import { readCode } from './code.js';
import { readHtml } from './html.js';
import { readMarkdown } from './markdown.js';
import type { ParsedText } from './parsed.js';
import { readText, textMarkupOf } from './text.js';

/** Finds the structure of a text by its format; the extension tells kinds of plain text apart. Never throws. */
export function parseText(text: string, format: DocumentFormat, extension: string): ParsedText {
  switch (format) {
    case 'markdown':
      return readMarkdown(text);
    case 'html':
      return readHtml(text);
    case 'code':
      return readCode(text, extension);
    case 'text':
      return readText(text, textMarkupOf(extension));
    case 'rst':
      return readText(text, 'rst');
    case 'asciidoc':
      return readText(text, 'asciidoc');
    default:
      return readText(text);
  }
}
