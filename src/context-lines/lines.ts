/** Puts context lines before what models read, inside the limit of the chunks. */

import type { ChunkColumns } from '../model/chunk.js';
import { packTexts, textAt } from '../model/text-column.js';
import type { Tokenizer } from '../model/tokenizer.js';

export interface LineRoom {
  readonly tokenizer: Tokenizer;
  /** Most tokens of a line, and of a chunk with its line. */
  readonly contextTokens: number;
  readonly limitTokens: number;
  /** What a chunk is held to as well, in the tokens of another tokenizer. */
  readonly window?: { readonly limitTokens: number; readonly tokenizer: Tokenizer } | undefined;
}

/**
 * @param lines a row a chunk; null for a chunk that gets none
 * @returns the columns with the lines before the embedding texts, and tokens counted anew
 */
export function putLines(
  chunks: ChunkColumns,
  lines: readonly (string | null)[],
  room: LineRoom,
): ChunkColumns {
  const { tokenizer, limitTokens } = room;
  const texts = lines.map((line, row) => {
    const read = textAt(chunks.embeddingText, row);
    // A chunk that no cut brought under its limit has no room.
    if (line === null || chunks.overLimit[row] === 1) return read;
    return withLine(line, read, room);
  });
  const embeddingText = packTexts(texts);
  const tokens = tokenizer.countAll(embeddingText);
  return {
    ...chunks,
    embeddingText,
    tokens,
    overLimit: Uint8Array.from(tokens, (n) => Number(n > limitTokens)),
  };
}

/** Tokens may melt together or split at the seam: only the count of the whole says whether it fits. */
function withLine(line: string, read: string, room: LineRoom): string {
  const { tokenizer, contextTokens, limitTokens, window } = room;
  let fitting = cutToTokens(oneLine(line), contextTokens, tokenizer);
  while (fitting !== '') {
    const text = `${fitting}\n${read}`;
    const fits = !window || window.tokenizer.count(text) <= window.limitTokens;
    if (fits && tokenizer.count(text) <= limitTokens) return text;
    fitting = withoutLastWord(fitting);
  }
  return read;
}

/** The line cut behind the last whole word that is inside the limit. */
export function cutToTokens(line: string, mostTokens: number, tokenizer: Tokenizer): string {
  const { start } = tokenizer.spans(line);
  if (start.length <= mostTokens) return line;
  let cut = line.slice(0, start[mostTokens]);
  if (!/\s/.test(line[cut.length - 1] ?? ' ') && !/\s/.test(line[cut.length] ?? ' '))
    cut = withoutLastWord(cut) || cut;
  while (cut !== '' && tokenizer.count(cut) > mostTokens) cut = withoutLastWord(cut);
  return cut.trimEnd().toWellFormed();
}

function withoutLastWord(line: string): string {
  const at = line.trimEnd().search(/\s\S*$/u);
  return at < 0 ? '' : line.slice(0, at).trimEnd();
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
