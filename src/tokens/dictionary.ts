/** What the passport says about the segmenter: another dictionary cuts other words, and old terms are not found. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const HASH_CHARS = 16;
/** How `segmentForKeywords` uses the segmenter; raised when the same dictionary would give other terms. */
const METHOD = 'search+hmm+characters/1';

let fingerprint: string | undefined;

/** Segmenter version and 16 hex digits of its dictionary's SHA-256. Reads 5 MB once a thread; jieba is not loaded. */
export function dictionaryFingerprint(): string {
  if (fingerprint === undefined) {
    const manifest = require.resolve('@node-rs/jieba/package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    const dictionary = readFileSync(join(dirname(manifest), 'dict.txt'));
    const hash = createHash('sha256').update(version).update(METHOD).update(dictionary).digest('hex');
    fingerprint = `jieba-${version}:${hash.slice(0, HASH_CHARS)}`;
  }
  return fingerprint;
}
