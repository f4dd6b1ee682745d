/** Typed arrays on disk, so that both engines of a case read the very same bytes. */
import { readFile, writeFile } from 'node:fs/promises';

export async function writeArray(file, array) {
  await writeFile(file, new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
}

/** @param {Float32ArrayConstructor | Uint32ArrayConstructor} Type */
export async function readArray(file, Type) {
  const bytes = await readFile(file);
  return new Type(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
