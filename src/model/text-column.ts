/**
 * A column of texts as UTF-8 bytes and offsets: what goes between threads and into the native addon, because it is
 * transferred instead of copied and is read there without making a single JavaScript string.
 */
export interface TextColumn {
  /** UTF-8 of all texts, one after another. */
  readonly bytes: Uint8Array;
  /** `rows + 1` byte positions; text i is `bytes[offsets[i] .. offsets[i + 1])`. */
  readonly offsets: Uint32Array;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Packs strings. A lone surrogate becomes U+FFFD, which is as long in UTF-16, so positions stay true. */
export function packTexts(texts: readonly string[]): TextColumn {
  const offsets = new Uint32Array(texts.length + 1);
  let capacity = 0;
  for (const text of texts) capacity += text.length * 3;
  // Writes at a position without a view for each text, which an encoder would need.
  const bytes = Buffer.from(new ArrayBuffer(capacity));
  let at = 0;
  for (let i = 0; i < texts.length; i++) {
    at += bytes.write(texts[i]!, at, 'utf8');
    offsets[i + 1] = at;
  }
  return { bytes: new Uint8Array(bytes.buffer.slice(0, at)), offsets };
}

export function textCount(column: TextColumn): number {
  return column.offsets.length - 1;
}

export function textAt(column: TextColumn, row: number): string {
  return decoder.decode(column.bytes.subarray(column.offsets[row]!, column.offsets[row + 1]!));
}

export function unpackTexts(column: TextColumn): string[] {
  return Array.from({ length: textCount(column) }, (_, row) => textAt(column, row));
}

/** The rows of all columns, one column after another. */
export function joinTexts(columns: readonly TextColumn[]): TextColumn {
  if (columns.length === 1) return columns[0]!;
  const bytes = new Uint8Array(columns.reduce((sum, column) => sum + column.bytes.length, 0));
  const offsets = new Uint32Array(columns.reduce((sum, column) => sum + textCount(column), 0) + 1);
  let byte = 0;
  let row = 0;
  for (const column of columns) {
    bytes.set(column.bytes, byte);
    for (let i = 1; i < column.offsets.length; i++) offsets[++row] = byte + column.offsets[i]!;
    byte += column.bytes.length;
  }
  return { bytes, offsets };
}

/** Rows [from, to) as a column of their own, over copied buffers that may be transferred. */
export function sliceTexts(column: TextColumn, from: number, to: number): TextColumn {
  const start = column.offsets[from]!;
  const offsets = column.offsets.slice(from, to + 1).map((offset) => offset - start);
  return { bytes: column.bytes.slice(start, column.offsets[to]!), offsets };
}

/** These rows, in this order, as a column of their own. */
export function pickTexts(column: TextColumn, rows: Uint32Array): TextColumn {
  const offsets = new Uint32Array(rows.length + 1);
  rows.forEach((row, i) => {
    offsets[i + 1] = offsets[i]! + column.offsets[row + 1]! - column.offsets[row]!;
  });
  const bytes = new Uint8Array(offsets[rows.length]!);
  rows.forEach((row, i) => {
    bytes.set(column.bytes.subarray(column.offsets[row], column.offsets[row + 1]), offsets[i]);
  });
  return { bytes, offsets };
}
