const QUOTE = 34;
const APOSTROPHE = 39;
const STAR = 42;
const SLASH = 47;
const BACKSLASH = 92;

/**
 * Objects and arrays of a JSON text by position, in the order in which they open. Found in one pass that knows strings
 * and comments and nothing else, so that broken JSON has a structure too, as far as it goes.
 */
export interface JsonContainers {
  /** Positions of the opening brackets, ascending. */
  readonly open: Uint32Array;
  /** Positions behind the closing brackets; the length of the text for those that are never closed. */
  readonly end: Uint32Array;
  /** Index of the first container that opens behind the end of this one. */
  readonly next: Uint32Array;
}

export function jsonContainers(text: string): JsonContainers {
  const open: number[] = [];
  const end: number[] = [];
  const next: number[] = [];
  const stack: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || code === APOSTROPHE) at = jsonStringEnd(text, at) - 1;
    else if (code === SLASH) at = Math.max(at, jsonCommentEnd(text, at) - 1);
    else if (code === 123 || code === 91) {
      stack.push(open.length);
      open.push(at);
      end.push(text.length);
      next.push(0);
    } else if ((code === 125 || code === 93) && stack.length > 0) {
      const container = stack.pop()!;
      end[container] = at + 1;
      next[container] = open.length;
    }
  }
  for (const container of stack) next[container] = open.length;
  return { open: Uint32Array.from(open), end: Uint32Array.from(end), next: Uint32Array.from(next) };
}

/** Position behind the string that begins at the quote; a line end closes one that nothing else does. */
export function jsonStringEnd(text: string, quote: number): number {
  const mark = text.charCodeAt(quote);
  for (let at = quote + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === mark) return at + 1;
    else if (code === 10) return at;
  }
  return text.length;
}

/** Position behind the comment that begins at the slash; the slash's own where none does. */
export function jsonCommentEnd(text: string, slash: number): number {
  const second = text.charCodeAt(slash + 1);
  if (second === SLASH) {
    const end = text.indexOf('\n', slash);
    return end < 0 ? text.length : end;
  }
  if (second !== STAR) return slash;
  const end = text.indexOf('*/', slash + 2);
  return end < 0 ? text.length : end + 2;
}
