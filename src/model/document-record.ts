import type { ChunkColumns } from './chunk.js';
import type { DocumentFormat, Metadata } from './document.js';
import type { TextColumn } from './text-column.js';

/** A prepared document on its way into the store. Text travels as UTF-8 bytes, so no thread copies it as a string. */
export interface DocumentRecord {
  id: string;
  source: string;
  title: string;
  format: DocumentFormat;
  metadata: Metadata;
  /** sha256 (hex) of title, text, metadata and format: equal hash, equal document. */
  contentHash: string;
  /** UTF-8 of the text; positions in `chunks` count UTF-16 units of the decoded string. */
  text: Uint8Array;
  chunks: ChunkColumns;
  /** Text for the keyword index, a row a chunk, words of unspaced scripts already cut. */
  keywordText: TextColumn;
  /** EMBEDDING_HASH_BYTES a chunk: the first bytes of the SHA-256 of its embedding text. Null where that is not known. */
  embeddingHashes: Uint8Array | null;
}

export const EMBEDDING_HASH_BYTES = 16;
