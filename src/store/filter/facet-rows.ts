import type { FilterScalar } from '../../model/filter.js';
import type { Facets } from '../../model/store.js';
import type { NativeFacetRows } from '../../native/contract.js';

/** The columns of the addon as values. */
export function toFacets({ kinds, numbers, texts, documents, chunks, distinct }: NativeFacetRows): Facets {
  let number = 0;
  let text = 0;
  const next = (kind: number): FilterScalar => {
    if (kind === 0) return null;
    if (kind <= 2) return kind === 2;
    return kind === 3 ? numbers[number++]! : texts[text++]!;
  };
  const values = Array.from(kinds, (kind, i) => ({
    value: next(kind),
    documents: documents[i]!,
    chunks: chunks[i]!,
  }));
  return { values, distinct };
}
