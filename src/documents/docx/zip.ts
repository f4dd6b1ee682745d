import { crc32, inflateRawSync } from 'node:zlib';

/** Longest comment at the end of an archive, and the record before it. */
const MAX_TAIL_BYTES = 65_535 + 22;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
/** A document has dozens of parts; a million names would only cost memory. */
const MAX_ENTRIES = 100_000;

interface Entry {
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly localAt: number;
}

/** A part that would unpack to more than the caller allows. */
export class PartTooLarge extends Error {
  constructor(
    readonly part: string,
    readonly bytes: number,
  ) {
    super(`${part} unpacks to ${bytes} bytes`);
  }
}

/**
 * The parts of a ZIP archive in memory. Sizes are compared before anything is unpacked, and what unpacks to more than
 * it says is refused, so that a small file cannot fill the memory. Without ZIP64, which no file under 4 GiB needs.
 */
export class ZipArchive {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, Entry>();

  /** @throws Error that says what is broken */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = this.#findEnd();
    const count = this.#bytes.readUInt16LE(end + 10);
    let at = this.#bytes.readUInt32LE(end + 16);
    for (let i = 0; i < Math.min(count, MAX_ENTRIES); i++) at = this.#readEntry(at);
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /**
   * @returns undefined if there is no such part
   * @throws PartTooLarge, or Error for a part that is damaged
   */
  read(name: string, maxBytes: number): Uint8Array | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    if (entry.bytes > maxBytes) throw new PartTooLarge(name, entry.bytes);
    if (entry.encrypted) throw new Error(`${name} is encrypted`);
    const packed = this.#packed(name, entry);
    const bytes = unpack(name, packed, entry);
    if (bytes.length !== entry.bytes || crc32(bytes) !== entry.crc) throw new Error(`${name} is damaged`);
    return bytes;
  }

  #findEnd(): number {
    const first = Math.max(0, this.#bytes.length - MAX_TAIL_BYTES);
    for (let at = this.#bytes.length - 22; at >= first; at--) {
      if (this.#bytes.readUInt32LE(at) === END_SIGNATURE) return at;
    }
    throw new Error('it is no ZIP archive or was cut off');
  }

  #readEntry(at: number): number {
    const bytes = this.#bytes;
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== ENTRY_SIGNATURE) {
      throw new Error('the list of its parts is damaged');
    }
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    this.#entries.set(bytes.toString('utf8', at + 46, nameEnd).replaceAll('\\', '/'), {
      encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packedBytes: bytes.readUInt32LE(at + 20),
      bytes: bytes.readUInt32LE(at + 24),
      localAt: bytes.readUInt32LE(at + 42),
    });
    return nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }

  #packed(name: string, { localAt, packedBytes }: Entry): Uint8Array {
    const bytes = this.#bytes;
    if (localAt + 30 > bytes.length || bytes.readUInt32LE(localAt) !== LOCAL_SIGNATURE) {
      throw new Error(`${name} is not where the archive says`);
    }
    const from = localAt + 30 + bytes.readUInt16LE(localAt + 26) + bytes.readUInt16LE(localAt + 28);
    if (from + packedBytes > bytes.length) throw new Error(`${name} is cut off`);
    return bytes.subarray(from, from + packedBytes);
  }
}

function unpack(name: string, packed: Uint8Array, { method, bytes }: Entry): Uint8Array {
  if (method === 0) return packed;
  if (method !== 8) throw new Error(`${name} is packed in a way that is not known (${method})`);
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, bytes) });
  } catch (cause) {
    throw new Error(`${name} is damaged`, { cause });
  }
}
