/** A chunk on its way into the columns. */
export interface Piece {
  /** UTF-16 positions in the document's text. */
  readonly start: number;
  readonly end: number;
  /** What the embedding text says before the slice. */
  readonly lead: string;
  /** Tokens of lead and slice together. */
  readonly tokens: number;
  readonly overLimit: boolean;
}

/** A piece with the section that its heading path names. */
export interface PlacedPiece extends Piece {
  readonly section: number;
  /** What answers for it, where that is not its section. Holds the piece. */
  readonly parent?: { readonly start: number; readonly end: number };
}
