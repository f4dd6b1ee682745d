import { Region } from './html-tags.js';

/** What leads around a site rather than being of the page. */
export const NAVIGATION = Region.navigation | Region.chrome | Region.aside;

/** A menu, header, footer or aside of a page that lies in no other one; told apart by identity. */
export type EdgeElement = symbol;

/** Where a block stands. */
export interface HtmlRegion {
  /** Bits of Region. */
  readonly bits: number;
  /** The outermost such element around it. */
  readonly edge: EdgeElement | undefined;
  /** The bits that hold without that element. */
  readonly bitsWithoutEdge: number;
}

export const PAGE: HtmlRegion = { bits: 0, edge: undefined, bitsWithoutEdge: 0 };

/** The region of an element with that bit, inside another region. */
export function regionIn(outer: HtmlRegion, bit: number): HtmlRegion {
  const bits = outer.bits | bit;
  if (outer.edge === undefined && bit & NAVIGATION)
    return { bits, edge: Symbol(), bitsWithoutEdge: outer.bits };
  return { bits, edge: outer.edge, bitsWithoutEdge: outer.bitsWithoutEdge | bit };
}
