/** What a verification goes by when it looks at a body. */
export interface BodyRow {
  key: number;
  first: number;
  count: number;
  hash: number;
  checksum: number;
  born: number;
  died: number | null;
}

/** Where a row stands and what is wrong with it. */
export interface RowProblem {
  place: string;
  problem: string;
}
