import { createHash } from 'node:crypto';

/** First 6 bytes of the SHA-256 of a text, as a number: tells equal texts among those of one index. */
export function textHash(utf8: Uint8Array): number {
  return createHash('sha256').update(utf8).digest().readUIntBE(0, 6);
}
