import type { Metadata } from '../../src/model/document.js';
import type { DocumentRecord } from '../../src/model/document-record.js';
import type { Passport } from '../../src/model/passport.js';
import type { CommitBatch } from '../../src/model/store.js';

/** Documents as [id, version, chunks], ids, and new metadata as [id, version, mark]. */
export interface Change {
  put: [string, number, number][];
  remove: string[];
  update: [string, number, number][];
}

export declare const DIMS: number;
export declare function randomness(seed: number): () => number;
export declare function wordOf(id: string, version: number): string;
export declare function chunkText(id: string, version: number, i: number): string;
export declare function vectorOf(text: string, model?: number): Float32Array;
export declare function passport(formatVersion: number, model?: number): Passport;
export declare function modelOf(passport: Passport): number;
export declare function metadataOf(id: string, version: number, mark: number): Metadata;
export declare function documentOf(
  id: string,
  version: number,
  chunkCount: number,
  options?: { mark?: number; model?: number },
): CommitBatch['documents'][number] & { record: DocumentRecord };
export declare function batchOf(change: Change, model?: number): CommitBatch;
