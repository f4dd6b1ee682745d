import { HEADING_SEPARATOR } from '../model/chunk.js';

/** What packing needs of a hit; every search hit has it. Positions are UTF-16 units of the document's text. */
export interface Passage {
  readonly chunkId: string;
  readonly documentId: string;
  readonly source: string;
  readonly title: string;
  readonly headingPath: string;
  /** The document's text from `start` to `end`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly startLine: number;
  readonly endLine: number;
  /** 1-based page that it begins on; 0 where the source has no pages. */
  readonly page: number;
  /** Which index the document is of, where several were searched. */
  readonly index?: string;
}

/** Whether two passages are of one document: ids are each index's own. */
export function sameDocument(a: DocumentName, b: DocumentName): boolean {
  return a.documentId === b.documentId && a.index === b.index;
}

type DocumentName = Pick<Passage, 'documentId' | 'index'>;

/** Passages of one document without a gap between them, as one. */
export interface Block extends Omit<Passage, 'chunkId'> {
  /** The chunks that it is made of, in document order. */
  readonly chunkIds: readonly string[];
}

export function toBlock({ chunkId, ...passage }: Passage): Block {
  return { ...passage, chunkIds: [chunkId] };
}

/**
 * Blocks in the order of their best passage, with one more passage taken in: it joins the blocks of its document that
 * it overlaps or adjoins (two blocks become one where it closes the gap), else it goes behind all.
 */
export function addPassage(blocks: readonly Block[], passage: Passage): Block[] {
  const grown: Block[] = [];
  let joined = toBlock(passage);
  let at = -1;
  for (const block of blocks) {
    if (!touches(block, joined)) grown.push(block);
    else {
      // The first block that it touches is the best-ranked one: the whole stands there.
      if (at === -1) at = grown.length;
      joined = merge(block, joined);
    }
  }
  grown.splice(at === -1 ? grown.length : at, 0, joined);
  return grown;
}

function touches(a: Block, b: Block): boolean {
  return sameDocument(a, b) && a.start <= b.end && b.start <= a.end;
}

/** Both texts are slices of the same document, so the end of the later one continues the earlier one exactly. */
function merge(a: Block, b: Block): Block {
  const [first, second] = a.start < b.start || (a.start === b.start && a.end >= b.end) ? [a, b] : [b, a];
  const inside = second.end <= first.end;
  return {
    ...first,
    headingPath: commonHeadings(first.headingPath, second.headingPath),
    text: inside ? first.text : first.text + second.text.slice(first.end - second.start),
    end: inside ? first.end : second.end,
    endLine: inside ? first.endLine : second.endLine,
    chunkIds: [...first.chunkIds, ...second.chunkIds.filter((id) => !first.chunkIds.includes(id))],
  };
}

/** The headings that both passages stand under. */
function commonHeadings(a: string, b: string): string {
  const [left, right] = [a.split(HEADING_SEPARATOR), b.split(HEADING_SEPARATOR)];
  const differs = left.findIndex((heading, i) => heading !== right[i]);
  return differs === -1 ? a : left.slice(0, differs).join(HEADING_SEPARATOR);
}
