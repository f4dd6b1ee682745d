/** UTF-16 units looked at. */
const SAMPLE_LENGTH = 64 * 1024;
/** Share of the characters beyond ASCII that must be letters, or the punctuation of printed text. */
const MIN_LETTERS = 0.95;
/** Share of them that may be letters in the wrong case, or of another script than the others. */
const MAX_ODD = 0.08;

const BEYOND_ASCII = /[^\0-\x7f]/gu;
const LIKELY =
  /[\p{L}\p{M}\u00a0\u00a3\u00a7\u00a9\u00ab\u00ae\u00b0\u00b4\u00b7\u00ba\u00bb\u00a1\u00bf\u2010-\u2026\u2030\u2039\u203a\u20ac\u2116\u2122\u3000-\u303f\uff00-\uff65]/gu;
/** A capital beyond ASCII behind a small letter: what a text looks like in the wrong code page. */
const ODD_CAPITAL = /(?<=\p{Ll})(?![A-Z])\p{Lu}/gu;

/** Accented letters stand alone among plain ones; other alphabets, taken for Latin, come in runs. */
const ACCENTED_RUN = /[\u00c0-\u00ff]{3,}|[\u00c0-\u024f]{5,}/g;
const MAX_IN_RUNS = 0.1;

const LATIN = /\p{Script=Latin}/gu;
const SCRIPTS = [
  LATIN,
  /\p{Script=Cyrillic}/gu,
  /\p{Script=Greek}/gu,
  /\p{Script=Hebrew}/gu,
  /\p{Script=Arabic}/gu,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/gu,
];

/**
 * Whether a text that was decoded by a guess reads like one: what it has beyond ASCII is letters of one script and
 * common punctuation, with capitals where words begin.
 */
export function isPlausible(text: string): boolean {
  const beyond = text.slice(0, SAMPLE_LENGTH).match(BEYOND_ASCII);
  if (!beyond) return true;
  const joined = beyond.join('');
  if (count(joined, LIKELY) < beyond.length * MIN_LETTERS) return false;
  const letters = count(joined, /\p{L}/gu);
  const inRuns = text.slice(0, SAMPLE_LENGTH).match(ACCENTED_RUN)?.join('').length ?? 0;
  if (inRuns > count(joined, LATIN) * MAX_IN_RUNS) return false;
  const ofOneScript = Math.max(...SCRIPTS.map((script) => count(joined, script)));
  const oddCapitals = count(text.slice(0, SAMPLE_LENGTH), ODD_CAPITAL);
  return oddCapitals <= letters * MAX_ODD && letters - ofOneScript <= letters * MAX_ODD;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
