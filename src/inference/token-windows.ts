/** Tokens [start, end) of a text. */
export interface TokenWindow {
  start: number;
  end: number;
}

/**
 * Cuts `tokens` into as few windows of at most `room` tokens as it takes, of nearly equal size, without gap or overlap:
 * every token is in exactly one. No tokens make one empty window.
 */
export function splitEvenly(tokens: number, room: number): TokenWindow[] {
  const count = Math.max(1, Math.ceil(tokens / room));
  return Array.from({ length: count }, (_, i) => ({
    start: Math.floor((i * tokens) / count),
    end: Math.floor(((i + 1) * tokens) / count),
  }));
}

/** Share of a window that the next one repeats, so that an answer on the border lies whole in one of them. */
const OVERLAP_SHARE = 1 / 8;

/** Windows of up to `room` tokens that overlap by an eighth and cover every token. */
export function splitOverlapping(tokens: number, room: number): TokenWindow[] {
  if (tokens <= room) return [{ start: 0, end: tokens }];
  const overlap = Math.floor(room * OVERLAP_SHARE);
  const count = Math.ceil((tokens - overlap) / (room - overlap));
  // Spread over the text: the last window ends where the text ends and is as long as the others.
  const step = (tokens - room) / (count - 1);
  return Array.from({ length: count }, (_, i) => {
    const start = Math.round(i * step);
    return { start, end: start + room };
  });
}

/**
 * The `most` windows that hold the largest number of different query tokens, in the order of the text; of equals the
 * earlier. Special and rare shapes need no care here: this only chooses where the model looks.
 */
export function mostPromising(
  windows: TokenWindow[],
  ids: Uint32Array,
  query: Uint32Array,
  most: number,
): TokenWindow[] {
  if (windows.length <= most) return windows;
  const wanted = new Set(query);
  const matches = windows.map(({ start, end }) => {
    const found = new Set<number>();
    for (let at = start; at < end; at++) if (wanted.has(ids[at]!)) found.add(ids[at]!);
    return found.size;
  });
  const order = windows.map((_, i) => i).sort((a, b) => matches[b]! - matches[a]! || a - b);
  return order
    .slice(0, most)
    .sort((a, b) => a - b)
    .map((i) => windows[i]!);
}
