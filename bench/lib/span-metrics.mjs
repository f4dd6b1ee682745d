/**
 * How well retrieved chunks cover the excerpts that answer a question, by the definitions of Smith and Troynikov,
 * "Evaluating Chunking Strategies for Retrieval" (Chroma, 2024), in characters as their own code counts:
 *
 *   recall      excerpt characters in retrieved chunks / excerpt characters
 *   precision   excerpt characters in retrieved chunks / characters retrieved, those retrieved twice counted twice
 *   iou         excerpt characters in retrieved chunks / (characters retrieved + excerpt characters not retrieved)
 *   precisionΩ  the precision if exactly the chunks that hold some of an excerpt were retrieved, each character once
 *
 * A span is { document, start, end }. All figures are from 0 to 1.
 */

/** Overlapping and touching spans of one document as one; ascending. */
function union(spans) {
  const merged = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

function total(spans) {
  return spans.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** What lies in both, as disjoint spans. */
function shared(some, others) {
  return union(
    some.flatMap((a) =>
      others
        .map((b) => ({ start: Math.max(a.start, b.start), end: Math.min(a.end, b.end) }))
        .filter(({ start, end }) => start < end),
    ),
  );
}

/** Of the chunks that were retrieved for one question, whose excerpts all lie in one document. */
export function retrievalScores(retrieved, excerpts) {
  const { document } = excerpts[0];
  const wanted = union(excerpts);
  const found = total(
    shared(
      retrieved.filter((chunk) => chunk.document === document),
      wanted,
    ),
  );
  const read = total(retrieved);
  return {
    recall: found / total(wanted),
    precision: read === 0 ? 0 : found / read,
    iou: found / (read + total(wanted) - found),
  };
}

/** Of all chunks of all documents. */
export function precisionOmega(chunks, excerpts) {
  const { document } = excerpts[0];
  const wanted = union(excerpts);
  const holding = chunks.filter(
    (chunk) =>
      chunk.document === document && wanted.some(({ start, end }) => chunk.start < end && start < chunk.end),
  );
  const found = total(shared(holding, wanted));
  return found / total(union([...holding, ...wanted]));
}
