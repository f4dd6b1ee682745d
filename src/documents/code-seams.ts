import type { CodeDefinition } from './code-definitions.js';

/** Seams longer than this hold something to say. */
const MAX_SEAM_LENGTH = 200;

/** What closes a block, with a comment behind it at most: `});`, `end`, `#endif // GUARD`, `?>`. */
const CLOSER = /^(?:[)\]}>;,?]+|end\w*|#\s*endif|fi|done|esac)[)\]};,.\s]*(?:(?:\/\/|\/\*|--|#).*)?$/;

/** What says who may see the following: `private:`, `public slots:`, Ruby's `private`. */
const LABEL = /^(?:public|private|protected|internal)(?: \w+)?:?$/;

/**
 * Gives the lines between definitions that say nothing by themselves to a neighbour: the brace that closes a class to
 * its last method, a label to what it labels. Otherwise they would be chunks of their own.
 */
export function closeSeams(text: string, definitions: readonly CodeDefinition[]): void {
  const nextSibling = findNextSiblings(definitions);
  const open: CodeDefinition[] = [];
  for (const [row, definition] of definitions.entries()) {
    while (open.length > 0 && open.at(-1)!.depth >= definition.depth) open.pop();
    const parentEnd = open.at(-1)?.end ?? text.length;
    open.push(definition);
    const next = nextSibling[row];
    const seamEnd = next?.start ?? parentEnd;
    if (seamEnd - definition.end > MAX_SEAM_LENGTH) continue;
    const seam = text.slice(definition.end, seamEnd);
    const lines = seam.trim().split(/\s*(?:\r\n|\r|\n)\s*/);
    if (lines.every((line) => CLOSER.test(line))) definition.end += seam.trimEnd().length;
    else if (next !== undefined && LABEL.test(lines.join(' ')))
      next.start = labelStart(text, definition.end, seam);
  }
}

/** The line of the label, indentation included, or where it begins if it stands behind something. */
function labelStart(text: string, from: number, seam: string): number {
  const label = from + seam.length - seam.trimStart().length;
  const lineStart = Math.max(text.lastIndexOf('\n', label - 1), text.lastIndexOf('\r', label - 1)) + 1;
  return lineStart > from ? lineStart : label;
}

function findNextSiblings(definitions: readonly CodeDefinition[]): (CodeDefinition | undefined)[] {
  const siblings = new Array<CodeDefinition | undefined>(definitions.length);
  /** The row before, by depth, that still looks for the next one under its parent. */
  const waiting: number[] = [];
  for (const [row, definition] of definitions.entries()) {
    const before = waiting[definition.depth];
    if (before !== undefined) siblings[before] = definition;
    waiting[definition.depth] = row;
    waiting.length = definition.depth + 1;
  }
  return siblings;
}
