/** The number that a clause begins with: 'Article 5', '§ 12 (3)', '4.2.1', '第三条', '(a)(ii)'. */

export interface ClauseMarker {
  /** As the heading path says it. */
  readonly label: string;
  /** What numbers of its sort have in common; one of the same style ends the clause before. */
  readonly style: string;
  /** Coarser sorts have lower ranks and hold finer ones; among equal ranks the one that came first does. */
  readonly rank: number;
  /** Of 4.2.1: 4, 2, 1. Of other sorts: undefined. */
  readonly decimal?: readonly number[];
  /** Of an item in parentheses: all that it may be the number of, (i) being the 9th letter and the first numeral. */
  readonly ordinals?: ReadonlyArray<{ readonly style: string; readonly ordinal: number }>;
  /** What stands behind the number on its line. */
  readonly rest: string;
}

export const RANK_DECIMAL = 6;
export const RANK_ITEM = 8;

/** Words for parts of a law or a contract, by rank. */
const WORDS: ReadonlyArray<readonly [rank: number, words: string]> = [
  [0, 'schedule annex annexe appendix exhibit anlage anhang'],
  [1, 'part teil partie parte'],
  [2, 'title titel titre título titolo'],
  [3, 'chapter kapitel chapitre capítulo capitolo'],
  [5, 'article artikel artículo articolo artigo section abschnitt clause klausel rule regulation'],
];
const RANK_BY_WORD = new Map(
  WORDS.flatMap(([rank, words]) => words.split(' ').map((word) => [word, rank] as const)),
);
const WORD = new RegExp(
  `^(${[...RANK_BY_WORD.keys()].join('|')}|art\\.)\\s+(\\d+(?:\\.\\d+)*[a-z]?|[ivxlcdm]+|[a-z])(?=$|[\\s.:)–—-])[.:)]?\\s*`,
  'iu',
);

const PARAGRAPH = /^§{1,2}\s*(\d+[a-z]?)((?:\s*\(\d+[a-z]?\))*)[.:]?(?=\s|$)\s*/;

const HAN_RANKS: Readonly<Record<string, number>> = {
  编: 1,
  篇: 1,
  编章: 1,
  章: 3,
  节: 4,
  節: 4,
  条: 5,
  條: 5,
  款: 6,
  项: 7,
  項: 7,
};
const HAN =
  /^第\s*[一二三四五六七八九十百千零〇两\d]{1,8}\s*(编|篇|章|节|節|条|條|款|项|項)(?:之[一二三四五六七八九十]{1,2})?[:：、]?\s*/;

const DECIMAL = /^(\d{1,3}(?:\.\d{1,3}){1,7})[.)]?(?=\s|$)\s*/;
const NUMBER = /^(\d{1,3})[.)](?=\s)\s*/;

/** Behind a word, an upper-case letter, a digit or a mark begins a title; a lower-case one goes on with a sentence. */
const GOES_ON = /^\p{Ll}/u;

/** Markup that may stand before a number: a list item's bullet, a quote, bold. */
const MARKUP = /^(?:[-*+•]\s+|>\s*)*(?:\*\*|__)?/;

/** A line of a table of contents ends with a page number. */
const CONTENTS = /(?:\.{3,}|(?:\. ){3,}|\s{3,}|\t)\s*\d{1,4}$/;

/** @param line without white space at its ends */
export function readClauseMarker(line: string): ClauseMarker | undefined {
  if (CONTENTS.test(line)) return undefined;
  const text = line.replace(MARKUP, '');
  return readWord(text) ?? readParagraph(text) ?? readHan(text) ?? readDecimal(text);
}

function readWord(text: string): ClauseMarker | undefined {
  const match = WORD.exec(text);
  if (match === null || GOES_ON.test(text)) return undefined;
  const rest = withoutMarkup(text.slice(match[0].length));
  if (GOES_ON.test(rest)) return undefined;
  const word = match[1]!.toLowerCase();
  const style = word === 'art.' ? 'article' : word;
  return { label: `${match[1]} ${match[2]}`, style, rank: RANK_BY_WORD.get(style)!, rest };
}

function readParagraph(text: string): ClauseMarker | undefined {
  const match = PARAGRAPH.exec(text);
  if (match === null) return undefined;
  const label = `§ ${match[1]}${match[2]!.replace(/\s*\(/g, ' (')}`;
  return { label, style: '§', rank: 5, rest: withoutMarkup(text.slice(match[0].length)) };
}

function readHan(text: string): ClauseMarker | undefined {
  const match = HAN.exec(text);
  if (match === null) return undefined;
  const unit = match[1]!;
  const label = match[0].replace(/[:：、\s]+/g, '');
  return { label, style: unit, rank: HAN_RANKS[unit]!, rest: withoutMarkup(text.slice(match[0].length)) };
}

function readDecimal(text: string): ClauseMarker | undefined {
  const match = DECIMAL.exec(text) ?? NUMBER.exec(text);
  if (match === null) return undefined;
  const decimal = match[1]!.split('.').map(Number);
  const rest = withoutMarkup(text.slice(match[0].length));
  return { label: match[1]!, style: `decimal:${decimal.length}`, rank: RANK_DECIMAL, decimal, rest };
}

const ITEM = /^\(([a-z]{1,5}|[A-Z]|[IVX]{2,5}|\d{1,3})\)|^([a-z])\)(?=\s)/;

/** '(a)', '(a)(ii)', 'a)': an item each. */
export function readItems(line: string): ClauseMarker[] {
  const items: ClauseMarker[] = [];
  let text = line.replace(MARKUP, '');
  for (let match = ITEM.exec(text); match !== null; match = ITEM.exec(text)) {
    const token = match[1] ?? match[2]!;
    const ordinals = ordinalsOf(token);
    if (ordinals.length === 0) break;
    text = text.slice(match[0].length);
    const isLast = !text.startsWith('(');
    if (isLast && text !== '' && !/^\s/.test(text)) return [];
    items.push({
      label: `(${token})`,
      style: ordinals[0]!.style,
      rank: RANK_ITEM,
      ordinals,
      rest: text.trim(),
    });
    if (isLast) break;
  }
  return items;
}

function ordinalsOf(token: string): Array<{ style: string; ordinal: number }> {
  if (/^\d/.test(token)) return [{ style: '(1)', ordinal: Number(token) }];
  const isUpper = token === token.toUpperCase();
  const found: Array<{ style: string; ordinal: number }> = [];
  const letter = token.toLowerCase();
  // After (z) comes (aa).
  if (letter.length === 1 || (letter.length === 2 && letter[0] === letter[1])) {
    found.push({
      style: isUpper ? '(A)' : '(a)',
      ordinal: (letter.length - 1) * 26 + letter.charCodeAt(0) - 96,
    });
  }
  const numeral = romanValue(letter);
  if (numeral > 0) found.push({ style: isUpper ? '(I)' : '(i)', ordinal: numeral });
  return found;
}

const ROMAN = /^(?:x{0,3})(?:ix|iv|v?i{0,3})$/;
const ROMAN_DIGITS: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10 };

/** Up to 39; 0 for what is no numeral. */
function romanValue(text: string): number {
  if (text === '' || !ROMAN.test(text)) return 0;
  return [...text].reduce((sum, digit, i, all) => {
    const value = ROMAN_DIGITS[digit]!;
    return sum + (value < (ROMAN_DIGITS[all[i + 1] ?? ''] ?? 0) ? -value : value);
  }, 0);
}

function withoutMarkup(text: string): string {
  return text
    .replace(/\*\*|__/g, '')
    .replace(/^[–—:.-]+\s+/, '')
    .trim();
}
