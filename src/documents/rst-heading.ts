import type { IndentedLines } from './indented-lines.js';

/** One punctuation mark, repeated. */
const RULE = /^([!-/:-@[-`{-~])\1*$/;
/** A rule shorter than this, and shorter than its title, is text. */
const MIN_SHORT_RULE = 4;

export interface RstHeading {
  /** Character of the rule, and whether it stands above the title too: what a level is told by. */
  readonly style: string;
  readonly text: string;
  /** Lines of the file, rules included. */
  readonly lines: number;
}

/** The heading whose first line this is: a title over a rule, which may be repeated above it. */
export function rstHeadingAt(lines: IndentedLines, line: number): RstHeading | undefined {
  if (lines.indent[line] !== 0 || line + 1 >= lines.count) return undefined;
  const first = lines.content(line);
  const overline = RULE.exec(first);
  if (overline) {
    if (line + 2 >= lines.count) return undefined;
    const title = lines.content(line + 1);
    const below = lines.line(line + 2).trimEnd();
    if (title === '' || below !== first || isShort(below, title)) return undefined;
    return { style: `over ${overline[1]}`, text: title, lines: 3 };
  }
  const underline = RULE.exec(lines.line(line + 1).trimEnd());
  if (!underline || isShort(underline[0], first)) return undefined;
  return { style: underline[1]!, text: first, lines: 2 };
}

/** A line of punctuation between blank ones parts the text; it says nothing. */
export function isTransition(lines: IndentedLines, line: number): boolean {
  const content = lines.content(line);
  return (
    content.length >= MIN_SHORT_RULE &&
    RULE.test(content) &&
    (line + 1 >= lines.count || lines.indent[line + 1]! < 0)
  );
}

/** East Asian titles are two columns a character, and a rule that is a little short is only a warning to docutils. */
function isShort(rule: string, title: string): boolean {
  return rule.length < Math.min(MIN_SHORT_RULE, title.length);
}
