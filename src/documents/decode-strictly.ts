/** What windows-1252 has at 0x80 to 0x9f; the five bytes that it leaves open are U+FFFD. */
const WESTERN_80_9F =
  '\u20ac\ufffd\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\ufffd\u017d\ufffd' +
  '\ufffd\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\ufffd\u017e\u0178';

/** The text, if every byte fits the encoding; undefined for an encoding that is not known, too. */
export function decodeStrictly(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    return decoder.encoding === 'windows-1252' ? decodeWestern(bytes) : decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Node 20 takes windows-1252 for Latin-1, and makes control characters of quotation marks. */
function decodeWestern(bytes: Uint8Array): string | undefined {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (!/[\x80-\x9f]/.test(latin1)) return latin1;
  const text = latin1.replace(/[\x80-\x9f]/g, (c) => WESTERN_80_9F[c.charCodeAt(0) - 0x80]!);
  return text.includes('\ufffd') ? undefined : text;
}
