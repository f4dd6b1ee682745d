/** Bytes looked at for signs: enough to tell, cheap for big files. */
const SAMPLE_BYTES = 64 * 1024;
const META_BYTES = 4096;

/** First bytes of formats that may hide behind a text extension; none of them begins a text. */
const MAGIC: readonly (readonly number[])[] = [
  [0x89, 0x50, 0x4e, 0x47], // PNG
  [0x50, 0x4b, 0x03, 0x04], // ZIP and what is built on it: docx, xlsx, jar
  [0x25, 0x50, 0x44, 0x46, 0x2d, 0x31, 0x2e], // PDF 1.x, which may be all ASCII
  [0x7f, 0x45, 0x4c, 0x46], // ELF
  [0x1f, 0x8b, 0x08], // gzip
  [0xff, 0xd8, 0xff], // JPEG
  [0x28, 0xb5, 0x2f, 0xfd], // Zstandard
  [0xfd, 0x37, 0x7a, 0x58, 0x5a], // xz
  [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], // 7z
  [0xd0, 0xcf, 0x11, 0xe0], // old Office
  [0xca, 0xfe, 0xba, 0xbe], // Java class
];

/** Share of control characters from which on bytes are no text: UTF-8 bytes have proved something, others nothing. */
const MAX_CONTROL_SHARE_UTF8 = 0.1;
const MAX_CONTROL_SHARE = 0.03;

/** Whether bytes begin like a known binary format or hold many control characters. NULs are the caller's question. */
export function looksBinary(bytes: Uint8Array, validUtf8: boolean): boolean {
  if (beginsBinary(bytes)) return true;
  const length = Math.min(bytes.length, SAMPLE_BYTES);
  let controls = 0;
  for (let i = 0; i < length; i++) if (isControl(bytes[i]!)) controls++;
  return controls > length * (validUtf8 ? MAX_CONTROL_SHARE_UTF8 : MAX_CONTROL_SHARE);
}

/** Whether bytes begin like a known binary format. */
export function beginsBinary(bytes: Uint8Array): boolean {
  return MAGIC.some((magic) => magic.every((byte, i) => bytes[i] === byte));
}

/** Whether a decoded text holds NULs or many other control characters. */
export function isImplausible(text: string): boolean {
  if (text.includes('\0')) return true;
  const length = Math.min(text.length, SAMPLE_BYTES);
  let controls = 0;
  for (let i = 0; i < length; i++) if (isControl(text.charCodeAt(i))) controls++;
  return controls > length * MAX_CONTROL_SHARE;
}

/** Controls that text files lack: not tab, line ends, form feed, backspace, and the escape of terminal colours. */
function isControl(code: number): boolean {
  return code === 0x7f || (code < 0x20 && !(code >= 0x08 && code <= 0x0d) && code !== 0x1b);
}

/** The charset that an HTML page or an XML declaration names within its first 4 KiB, as it is written. */
export function markupCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, META_BYTES)).toString('latin1');
  const meta = /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head);
  const declaration = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/i.exec(head);
  return (meta ?? declaration)?.[1];
}
