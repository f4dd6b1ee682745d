import { stripVTControlCharacters } from 'node:util';

/** Longest text of one output that is kept, in UTF-16 units: about a screen. */
const MAX_OUTPUT_LENGTH = 2000;

/** What an output says in words, and what of it was left out. */
export interface OutputText {
  readonly text: string;
  readonly cut: string;
  /** Longest of the forms that are no plain text, images first. */
  readonly image: string;
  readonly markup: string;
}

const NOTHING: OutputText = { text: '', cut: '', image: '', markup: '' };

/** Reads a stream, an error or a displayed value, as nbformat 3 and 4 write them. */
export function outputText(output: unknown): OutputText {
  if (typeof output !== 'object' || output === null) return NOTHING;
  const fields = output as Record<string, unknown>;
  const data = (typeof fields.data === 'object' && fields.data !== null ? fields.data : fields) as Record<
    string,
    unknown
  >;
  const traceback = fields.traceback === undefined ? '' : joined(fields.traceback, '\n');
  const whole = stripVTControlCharacters(
    joined(fields.text, '') || joined(data['text/plain'], '') || traceback,
  ).trim();
  const end = whole.length <= MAX_OUTPUT_LENGTH ? whole.length : lineCut(whole);
  let image = '';
  let markup = '';
  for (const [type, value] of Object.entries(data)) {
    if (/^image\/|^(?:png|jpeg|svg)$/.test(type)) image += joined(value, '');
    else if (/^(?:text\/(?!plain)|application\/)/.test(type)) markup += joined(value, '');
  }
  return { text: whole.slice(0, end), cut: whole.slice(end), image, markup };
}

/** The last line end within the bound, else the bound itself. */
function lineCut(text: string): number {
  const end = text.lastIndexOf('\n', MAX_OUTPUT_LENGTH);
  if (end > MAX_OUTPUT_LENGTH / 2) return end;
  const code = text.charCodeAt(MAX_OUTPUT_LENGTH - 1);
  return code >= 0xd800 && code < 0xdc00 ? MAX_OUTPUT_LENGTH - 1 : MAX_OUTPUT_LENGTH;
}

/** As JSON; '' for what is nested deeper than that can be spelled. */
export function spelled(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '';
  }
}

/** Text that is a string or a list of them; anything else as JSON. */
function joined(value: unknown, separator: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(separator);
  return spelled(value);
}
