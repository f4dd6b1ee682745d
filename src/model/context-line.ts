import type { ErrorRecord } from '../errors.js';
import type { ChunkColumns } from './chunk.js';
import type { Document } from './document.js';

/** A language model that writes a sentence or two about where each chunk stands in its document. */
export interface EndpointContextOptions {
  /** Address of an OpenAI-compatible API, such as 'http://localhost:8080/v1', or of its /chat/completions itself. */
  endpoint: string;
  /** What the service calls its model. */
  model: string;
  /** Name of the environment variable with the key, which is sent as a bearer token. Default: none is sent. */
  apiKeyEnv?: string;
  /** Most tokens of a context line; they are kept free in every chunk. Default 64. */
  contextTokens?: number;
  /** Of a long document, about so many tokens go with each question: its beginning, and what stands round the chunk. Default 6,000. */
  documentTokens?: number;
  /** Calls under way at once. Default 4. */
  concurrency?: number;
  /** Attempts after the first, on 429, 5xx, network failures and answers that are no JSON. Default 4. */
  retries?: number;
  /** Limit of one attempt in milliseconds. Default 60,000. */
  timeoutMs?: number;
  /** Folder of the answers, which are never asked for again. Default: contexts in Sluice's folder of the user's cache. */
  cache?: string;
}

/** A sentence of the document itself, chosen without any model. */
export interface ExtractiveContextOptions {
  extractive: true;
  /** As for an endpoint. Default 64. */
  contextTokens?: number;
}

/** Where the line comes from that stands before each chunk in what models and the keyword index read. */
export type ContextOptions = EndpointContextOptions | ExtractiveContextOptions;

/** What context lines took. */
export interface ContextCounts {
  /** Chunks with a line: made by a call now, found in the cache, or taken from the document. */
  made: number;
  cached: number;
  extracted: number;
  /** Chunks that should have a line and have none, because calls failed; the next run asks again. */
  missing: number;
  /** As the endpoint counts them, or where it does not tell, by an estimate. */
  tokensIn: number;
  tokensOut: number;
}

/** Chunk columns, and what went wrong with context lines. */
export interface SituatedChunks extends ChunkColumns {
  readonly contextTrouble?: { readonly chunks: number; readonly error: ErrorRecord };
}

/** A chunker whose chunks may take a while, because something is asked about them. */
export interface SituatedChunker {
  readonly fingerprint: string;
  /** As a Chunker's. */
  readonly parents?: boolean;
  chunk(document: Document): SituatedChunks | Promise<SituatedChunks>;
}
