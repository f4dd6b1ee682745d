/** Latin ligatures, each of which is one character to a font and several letters to a reader. */
const LIGATURES: Readonly<Record<string, string>> = {
  '\uFB00': 'ff',
  '\uFB01': 'fi',
  '\uFB02': 'fl',
  '\uFB03': 'ffi',
  '\uFB04': 'ffl',
  '\uFB05': 'st',
  '\uFB06': 'st',
};

/** A blank between characters of scripts that have none: a justified line is drawn with such gaps. */
const BLANK_IN_UNSPACED =
  /(?<=[\u3000-\u30FF\u3400-\u9FFF\uF900-\uFAFF\uFF00-\uFFEF]) (?=[\u3000-\u30FF\u3400-\u9FFF\uF900-\uFAFF\uFF00-\uFFEF])/g;

/** Signs for list items out of symbol fonts, which map them to code points of nobody's. */
const SYMBOL_BULLETS = /[\uF0B7\uF0A7\uF0D8\uF076]/g;

/**
 * The letters that a reader sees: ligatures become single letters, controls and what is no character are left out,
 * and all kinds of white space are blanks. Without this, a search for `workflow` misses `work\uFB02ow`.
 */
export function plainLetters(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  return (
    text
      .replace(/[\uFB00-\uFB06]/g, (ligature) => LIGATURES[ligature]!)
      .replace(SYMBOL_BULLETS, '•')
      .replace(BLANK_IN_UNSPACED, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is removed.
      .replace(/[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F\uFEFF\uFFFE\uFFFF]/g, '')
      .replace(/[\s\u00A0\u0085]/g, ' ')
      .toWellFormed()
  );
}

/** Scripts that put no blank between words. */
const UNSPACED = /[\u3000-\u30FF\u3400-\u9FFF\uF900-\uFAFF\uFF00-\uFFEF]/;

/** Whether a line break between these two texts stands for a blank. */
export function needsBlank(before: string, after: string): boolean {
  return !(UNSPACED.test(before.slice(-1)) && UNSPACED.test(after.slice(0, 1)));
}

/** Characters of scripts that put no blank between words. */
export function unspacedChars(text: string): number {
  if (/^[ -~]*$/.test(text)) return 0;
  return [...text].filter((character) => UNSPACED.test(character)).length;
}
