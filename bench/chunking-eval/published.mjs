/**
 * What the report gives for five retrieved chunks: Brandon Smith and Anton Troynikov, "Evaluating Chunking Strategies
 * for Retrieval", Chroma, July 2024, https://research.trychroma.com/evaluating-chunking. Per cent; sizes in cl100k
 * tokens, limit/overlap, the mean in brackets. The rows of all-MiniLM-L6-v2 are the ones to compare with: the others are
 * another embedding model's, three thousand dimensions against 384.
 */
const row = (name, recall, precision, precisionOmega, iou) => ({
  name,
  recall: recall / 100,
  precision: precision / 100,
  precisionOmega: precisionOmega / 100,
  iou: iou / 100,
});

export const MINILM = [
  row('fixed 250/125', 82.4, 3.6, 11.4, 3.5),
  row('fixed 250/0', 77.1, 3.3, 16.4, 3.3),
  row('fixed 200/0', 76.6, 4.1, 19.1, 4.1),
  row('recursive 250/125 (180)', 78.7, 4.9, 21.9, 4.9),
  row('recursive 250/0 (162)', 78.5, 5.4, 26.7, 5.4),
  row('recursive 200/0 (128)', 75.7, 6.5, 31.2, 6.5),
  row('cluster 250 (168)', 77.3, 6.1, 28.6, 6.0),
  row('cluster 200 (102)', 75.2, 7.2, 33.6, 7.2),
];

export const TEXT_EMBEDDING_3_LARGE = [
  row('fixed 400/200', 88.6, 2.7, 8.4, 2.7),
  row('fixed 200/0', 87.0, 5.2, 21.0, 5.1),
  row('recursive 400/200 (312)', 88.1, 3.3, 13.9, 3.3),
  row('recursive 200/0 (137)', 88.1, 7.0, 29.9, 6.9),
  row('cluster 400 (182)', 91.3, 4.5, 20.7, 4.5),
  row('cluster 200 (103)', 87.3, 8.0, 34.0, 8.0),
  row('LLM, GPT-4o (240)', 91.9, 3.9, 19.9, 3.9),
];
