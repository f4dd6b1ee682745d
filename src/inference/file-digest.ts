import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

export interface FileDigest {
  sha256: string;
  /** The file names the operator of dynamic int8 quantization. */
  dynamicInt8: boolean;
}

/** Operator names lie as plain strings in an ONNX file. */
const DYNAMIC_INT8_OPERATOR = Buffer.from('DynamicQuantizeLinear');
/** Half a megabyte hashes in well under a millisecond: the event loop breathes between pieces. */
const PIECE_BYTES = 512 * 1024;

const known = new Map<string, Promise<FileDigest>>();

/** Reads the files once, as one stream of bytes; answers from memory while path, size and time stay the same. */
export async function digestFiles(paths: string[]): Promise<FileDigest> {
  const stats = await Promise.all(paths.map((path) => stat(path)));
  const key = paths.map((path, i) => `${path}|${stats[i]!.size}|${stats[i]!.mtimeMs}`).join('|');
  let digest = known.get(key);
  if (!digest) {
    digest = readDigest(paths);
    known.set(key, digest);
    digest.catch(() => known.delete(key));
  }
  return digest;
}

async function readDigest(paths: string[]): Promise<FileDigest> {
  const hash = createHash('sha256');
  let dynamicInt8 = false;
  for (const path of paths) {
    let tail: Buffer = Buffer.alloc(0);
    for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
      const bytes = piece as Buffer;
      hash.update(bytes);
      if (dynamicInt8) continue;
      const seam = Buffer.concat([tail, bytes.subarray(0, DYNAMIC_INT8_OPERATOR.length)]);
      dynamicInt8 = bytes.includes(DYNAMIC_INT8_OPERATOR) || seam.includes(DYNAMIC_INT8_OPERATOR);
      tail = bytes.subarray(-DYNAMIC_INT8_OPERATOR.length);
    }
  }
  return { sha256: hash.digest('hex'), dynamicInt8 };
}
