/** Questions in the words of passages that were held out of the corpus: their neighbours are in, the passage is not. */
import { drawAt } from './passages.mjs';

const MIN_WORDS = 4;
const MAX_WORDS = 12;

/** @returns {string | undefined} 4 to 12 consecutive words of the passage; undefined where it has too few */
export function questionOf(passage, position) {
  const words =
    passage.match(/[\p{L}\p{N}][\p{L}\p{N}_'-]+/gu)?.filter((word) => /\p{L}{2}/u.test(word)) ?? [];
  const length = MIN_WORDS + drawAt(position, 'question length', MAX_WORDS - MIN_WORDS + 1);
  if (words.length < 2 * length) return undefined;
  const from = drawAt(position, 'question start', words.length - length);
  const question = words.slice(from, from + length).join(' ');
  return question.length <= 200 ? question : undefined;
}

/** `count` of them, evenly spread over the corpus, no text twice. */
export function spreadQuestions(candidates, count) {
  const distinct = [...new Map(candidates.map((one) => [one.text, one])).values()];
  if (distinct.length <= count) return distinct;
  return Array.from({ length: count }, (_, i) => distinct[Math.floor((i * distinct.length) / count)]);
}
