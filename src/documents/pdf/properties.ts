import { plainLetters } from './letters.js';

/** What a file says about itself. */
export interface PdfProperties {
  readonly title: string | undefined;
  readonly metadata: Record<string, string | number>;
}

/** Titles that a program gave, not a person. */
const JUNK_TITLE =
  /^(?:untitled.*|microsoft (?:word|powerpoint|excel) - .*|(?:title|document|slide)\s*\d*|.*\.(?:docx?|odt|rtf|tex|dvi|indd|pptx?|xlsx?|qxd|pdf|html?))$/i;

/** @param info the dictionary of the file, with dates in its own form (`D:20230315165533Z`) */
export function propertiesOf(info: Readonly<Record<string, unknown>>, pages: number): PdfProperties {
  const text = (key: string) => {
    const value = info[key];
    return typeof value === 'string' ? plainLetters(value).replace(/\s+/g, ' ').trim() : '';
  };
  const title = text('Title');
  const created = isoDate(text('CreationDate'));
  return {
    title: title === '' || JUNK_TITLE.test(title) ? undefined : title,
    metadata: {
      ...(text('Author') !== '' && { author: text('Author') }),
      ...(created !== undefined && { created }),
      ...(text('Subject') !== '' && { subject: text('Subject') }),
      ...(text('Keywords') !== '' && { keywords: text('Keywords') }),
      pages,
    },
  };
}

const DATE = /^(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?\s*(?:(Z)|([+-])(\d{2})'?(\d{2})?)?/;

/** A date of the file's form in UTC, or undefined if it is none. What is left out is the first of its kind. */
export function isoDate(date: string): string | undefined {
  const match = DATE.exec(date);
  if (!match) return undefined;
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00'] = match;
  const [sign, zoneHour = '00', zoneMinute = '00'] = match.slice(8);
  const zone = sign === undefined ? 'Z' : `${sign}${zoneHour}:${zoneMinute}`;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
