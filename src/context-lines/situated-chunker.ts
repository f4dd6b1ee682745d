import type {
  ContextCounts,
  ContextOptions,
  EndpointContextOptions,
  SituatedChunker,
  SituatedChunks,
} from '../model/context-line.js';
import type { Document } from '../model/document.js';
import type { Tokenizer } from '../model/tokenizer.js';
import { noContextCounts } from './counts.js';
import { EndpointLines } from './endpoint-lines.js';
import { extractLines } from './extractive.js';
import { type LineRoom, putLines } from './lines.js';
import { DEFAULT_CONTEXT_TOKENS, resolveEndpoint } from './options.js';
import { PROMPT_VERSION } from './prompt.js';

/** Raised whenever the same document would give other lines. */
const EXTRACTIVE_VERSION = 1;

export interface ContextSetup {
  readonly context: ContextOptions;
  /** Most tokens of a chunk with its line; the chunker's own limit is smaller by the tokens of the line. */
  readonly limitTokens: number;
  readonly tokenizer: Tokenizer;
  readonly window?: LineRoom['window'];
  /** Estimates tokens of an endpoint that does not tell them. */
  readonly counter: Tokenizer;
  /** Ask nothing, count what would be asked. */
  readonly estimateOnly: boolean;
  /** Ends calls under way; asked for with each document. */
  readonly stopSignal: () => { signal: AbortSignal; dispose(): void };
}

/** A chunker whose chunks are told where they stand, with counts of what that took. */
export interface CountingChunker extends SituatedChunker {
  /** Counts since the last call. */
  takeCounts(): ContextCounts;
}

/** @param chunker whose chunks leave room for the line: see `reserveContext` */
export function createSituatedChunker(chunker: SituatedChunker, setup: ContextSetup): CountingChunker {
  const { context } = setup;
  const contextTokens = context.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
  const { tokenizer, limitTokens, window } = setup;
  const room: LineRoom = { tokenizer, contextTokens, limitTokens, window };
  const endpoint = 'extractive' in context ? undefined : endpointLines(context, setup);
  const counts = noContextCounts();
  return {
    fingerprint: `${chunker.fingerprint}+context(${spelled(context, contextTokens)})`,
    ...(chunker.parents !== undefined && { parents: chunker.parents }),
    chunk: async (document) => {
      const chunks = await chunker.chunk(document);
      if (endpoint === undefined) {
        const lines = extractLines(document, chunks);
        counts.extracted += lines.filter((line) => line !== null).length;
        return putLines(chunks, lines, room);
      }
      return asked(endpoint, document, chunks, counts, setup, room);
    },
    takeCounts: () => {
      // In place: documents that are still under way add to the same sums.
      const taken = { ...counts };
      Object.assign(counts, noContextCounts());
      return taken;
    },
  };
}

function endpointLines(
  context: EndpointContextOptions,
  { counter, estimateOnly }: ContextSetup,
): EndpointLines {
  return new EndpointLines(resolveEndpoint(context), counter, estimateOnly);
}

async function asked(
  endpoint: EndpointLines,
  document: Document,
  chunks: SituatedChunks,
  counts: ContextCounts,
  { stopSignal }: ContextSetup,
  room: LineRoom,
): Promise<SituatedChunks> {
  const { signal, dispose } = stopSignal();
  try {
    const { lines, trouble } = await endpoint.of(document, chunks, counts, signal);
    return { ...putLines(chunks, lines, room), ...(trouble && { contextTrouble: trouble }) };
  } finally {
    dispose();
  }
}

/** All that shapes the lines. Where the endpoint stands does not: the same model elsewhere is the same. */
function spelled(context: ContextOptions, contextTokens: number): string {
  if ('extractive' in context) return `extractive,tokens=${contextTokens},v${EXTRACTIVE_VERSION}`;
  const { model, documentTokens } = resolveEndpoint(context);
  return `model=${model},tokens=${contextTokens},document=${documentTokens},v${PROMPT_VERSION}`;
}
