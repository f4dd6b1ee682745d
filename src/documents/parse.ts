import type { DocumentFormat } from '../model/document.js';
import { readAsciidoc } from './asciidoc.js';
import { readCode } from './code.js';
import { readCsv } from './csv.js';
import { readHtml } from './html.js';
import { readJson } from './json.js';
import { readMarkdown } from './markdown.js';
import { readNotebook } from './notebook.js';
import type { ParsedText } from './parsed.js';
import { readRst } from './rst.js';
import { readText } from './text.js';

/** Finds the structure of a text by its format; the file's extension tells the grammar of code. Never throws. */
export function parseText(text: string, format: DocumentFormat, extension = ''): ParsedText {
  switch (format) {
    case 'markdown':
      return readMarkdown(text);
    case 'html':
      return readHtml(text);
    case 'code':
      return readCode(text, extension);
    case 'text':
      return readText(text);
    case 'rst':
      return readRst(text);
    case 'asciidoc':
      return readAsciidoc(text);
    case 'csv':
      return readCsv(text);
    case 'json':
      return readJson(text);
    case 'notebook':
      return readNotebook(text);
    default:
      return readText(text);
  }
}
