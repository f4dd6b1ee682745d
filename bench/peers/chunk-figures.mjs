/** What to know about chunks before their speed is compared. */
import { tokenizerOf } from '../lib/chunkers.mjs';

const WARM_UP_CHARS = 2 ** 20;
/** Long enough for V8 to compile what runs often, of every engine; the slow ones get one pass. */
const WARM_UP_MS = 2_000;

/** A million characters. */
export function warmUpTexts(texts) {
  let chars = 0;
  return texts.filter((text) => {
    chars += text.length;
    return chars <= WARM_UP_CHARS;
  });
}

/** Calls `pass` until compiling is over. */
export async function warmUp(pass) {
  const until = performance.now() + WARM_UP_MS;
  do await pass();
  while (performance.now() < until);
}

/**
 * @param {string[]} texts
 * @param {{ text: string, start?: number, end?: number }[][]} chunks of each text; positions where the engine gives any
 */
export function chunkFigures(texts, chunks) {
  const all = chunks.flatMap((list, i) => list.map((chunk) => ({ ...chunk, of: texts[i] })));
  const cl100k = tokenizerOf('cl100k');
  const figures = {
    chunks: all.length,
    'most tokens': all.reduce((most, { text }) => Math.max(most, cl100k.count(text)), 0),
    'text lost %': 100 * lostShare(texts, chunks),
  };
  if (all[0]?.start === undefined) return figures;
  const right = all.filter(({ of, text, start, end }) => of.slice(start, end) === text).length;
  return { ...figures, 'offsets right %': (100 * right) / all.length };
}

/** Characters other than white space that are in no chunk, by number: overlaps may hide some. */
function lostShare(texts, chunks) {
  const solid = (text) => text.replace(/\s+/g, '').length;
  let lost = 0;
  let total = 0;
  texts.forEach((text, i) => {
    const whole = solid(text);
    const kept = chunks[i].reduce((sum, chunk) => sum + solid(chunk.text), 0);
    total += whole;
    lost += Math.max(0, whole - kept);
  });
  return lost / total;
}

/** The same of our chunkers' columns, a set for each text. */
export function columnFigures(texts, columns) {
  return chunkFigures(
    texts,
    columns.map(({ start, end }, i) =>
      Array.from(start, (at, row) => ({ text: texts[i].slice(at, end[row]), start: at, end: end[row] })),
    ),
  );
}
