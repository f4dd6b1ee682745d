/** The report's own chunkers, so that they meet the same model and the same search as ours. */
import { loadBpe } from '../../dist/tokens/index.js';
import { requirePeer } from '../peers/peer-modules.mjs';

const bpe = loadBpe('cl100k');

/** Spans of strings in the order in which they occur in a text. */
function locate(text, strings) {
  let from = 0;
  return strings.map((slice) => {
    const start = text.indexOf(slice, from);
    if (start < 0) throw new Error(`a chunk is not in its text: ${JSON.stringify(slice.slice(0, 80))}`);
    from = start + 1;
    return { start, end: start + slice.length };
  });
}

/** Windows of tokens, cut wherever a token ends. */
export function fixed(limit, overlap) {
  return async ({ text }) => {
    const { start } = bpe.spans(text);
    const spans = [];
    for (let token = 0; token < start.length; token += limit - overlap) {
      const last = token + limit >= start.length;
      spans.push({ start: start[token], end: last ? text.length : start[token + limit] });
      if (last) break;
    }
    return spans;
  };
}

/** Paragraphs, lines, sentences, words: with the separators that the report uses. */
export function recursive(limit, overlap) {
  const { RecursiveCharacterTextSplitter } = requirePeer('@langchain/textsplitters');
  const splitter = new RecursiveCharacterTextSplitter({
    chunkSize: limit,
    chunkOverlap: overlap,
    separators: ['\n\n', '\n', '.', '?', '!', ' ', ''],
    lengthFunction: (text) => bpe.count(text),
  });
  return async ({ text }) => locate(text, await splitter.splitText(text));
}

/** Of which the report makes clusters. */
const PIECE_TOKENS = 50;

/**
 * Neighbouring pieces together so that the similarities within clusters, less the mean of the document, are the most
 * that they can be: by dynamic programming, as in the report.
 * @param embed texts → { dims, data } of unit vectors
 */
export function cluster(limit, embed) {
  const pieces = recursive(PIECE_TOKENS, 0);
  const most = Math.floor(limit / PIECE_TOKENS);
  return async (document) => {
    const spans = await pieces(document);
    const { dims, data } = await embed(spans.map(({ start, end }) => document.text.slice(start, end)));
    const vector = (row) => data.subarray(row * dims, (row + 1) * dims);
    const similarity = (a, b) => vector(a).reduce((sum, value, i) => sum + value * vector(b)[i], 0);
    const mean = meanSimilarity(spans.length, dims, data);
    const best = [0];
    const from = [0];
    for (let end = 1; end <= spans.length; end++) {
      best[end] = -Infinity;
      let inside = 0;
      for (let first = end - 1; first >= Math.max(0, end - most); first--) {
        for (let other = first + 1; other < end; other++) inside += similarity(first, other) - mean;
        if (best[first] + inside <= best[end]) continue;
        best[end] = best[first] + inside;
        from[end] = first;
      }
    }
    const clusters = [];
    for (let end = spans.length; end > 0; end = from[end]) {
      clusters.push({ start: spans[from[end]].start, end: spans[end - 1].end });
    }
    return clusters.reverse();
  };
}

/** Over all pairs of different rows: from the length of the sum of unit vectors. */
function meanSimilarity(rows, dims, data) {
  if (rows < 2) return 0;
  const sum = new Float64Array(dims);
  for (let i = 0; i < data.length; i++) sum[i % dims] += data[i];
  const squared = sum.reduce((total, value) => total + value * value, 0);
  return (squared - rows) / (rows * (rows - 1));
}
