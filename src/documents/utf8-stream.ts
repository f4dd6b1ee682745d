/** First bytes of JSON in UTF-16 or UTF-32: a mark, or a character of ASCII with its NULs. */
const SIGNS: readonly (readonly [string, (b: Uint8Array) => boolean])[] = [
  ['utf-16le', (b) => b[0] === 0xff && b[1] === 0xfe && b[3] === 0],
  ['utf-16be', (b) => b[0] === 0xfe && b[1] === 0xff && b[2] === 0],
  ['utf-16le', (b) => b[0] !== 0 && b[1] === 0 && b[2] !== 0],
  ['utf-16be', (b) => b[0] === 0 && b[1] !== 0],
];

/** Whether a mark of UTF-16 stands before something else: its first character would have no NUL. */
function isFalselyMarked(b: Buffer): boolean {
  return (b[0] === 0xff && b[1] === 0xfe) || (b[0] === 0xfe && b[1] === 0xff);
}

/**
 * The bytes of a file of JSON lines as UTF-8: those of UTF-16, with a byte order mark or without, are decoded piece by
 * piece, and any others pass as they are, less a mark of UTF-16 before UTF-8. Broken units become U+FFFD.
 */
export async function* asUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let first = true;
  for await (const bytes of chunks) {
    let chunk = bytes;
    if (first) {
      const encoding = SIGNS.find(([, holds]) => chunk.length >= 4 && holds(chunk))?.[0];
      if (encoding !== undefined) decoder = new TextDecoder(encoding);
      else if (chunk.length >= 4 && isFalselyMarked(chunk)) chunk = chunk.subarray(2);
      first = false;
    }
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
  const rest = decoder?.decode();
  if (rest) yield Buffer.from(rest);
}
