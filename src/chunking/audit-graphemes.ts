/**
 * Characters as readers see them, found apart from how the chunker finds them: where it looks back to a letter that
 * joins nothing, this looks back to the start of the line, or far.
 */

const LF = 10;
const CR = 13;
/** A line longer than this is looked at from its last two neighbouring ASCII characters on. */
const MAX_LINE_CHARS = 512;
/** A cluster, or a run of flags, that is longer than this (marks upon marks) is taken to begin and end there. */
const MAX_CLUSTER_CHARS = 4096;

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** True between the halves of a surrogate pair. */
export function splitsSurrogates(text: string, at: number): boolean {
  return at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

/** The character that a cut at this position would fall into; undefined at a border. */
export function clusterAt(text: string, at: number): { start: number; end: number } | undefined {
  if (at <= 0 || at >= text.length || isAsciiBorder(text, at)) return undefined;
  const from = startBefore(text, at);
  const segments = segmenter.segment(text.slice(from, at + MAX_CLUSTER_CHARS));
  const { index, segment } = segments.containing(at - from)!;
  return from + index === at ? undefined : { start: from + index, end: from + index + segment.length };
}

/** Between ASCII characters there is a border, but for CR LF. */
function isAsciiBorder(text: string, at: number): boolean {
  const [previous, next] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return previous < 0x80 && next < 0x80 && !(previous === CR && next === LF);
}

/**
 * A border before the position: the start of its line, or of the text; in a long line one between ASCII characters, or
 * else any character so far away that no cluster reaches from there.
 */
function startBefore(text: string, at: number): number {
  const nearest = Math.max(0, at - MAX_CLUSTER_CHARS);
  const near = text.slice(nearest, at - 1);
  const line = nearest + near.lastIndexOf('\n') + 1;
  if (at - line <= MAX_LINE_CHARS) return line;
  for (let i = at - 1; i > line; i--) if (isAsciiBorder(text, i)) return i;
  return splitsSurrogates(text, line) ? line - 1 : line;
}
