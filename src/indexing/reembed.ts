import { toSluiceError } from '../errors.js';
import type { Embedder, EmbeddingMatrix } from '../model/embedder.js';
import type { ReembeddingState, StoreWriter, TextsToEmbed } from '../model/store.js';
import { textCount } from '../model/text-column.js';
import { untilAborted } from '../threads/abort-listeners.js';
import { boundedMap } from './bounded-map.js';
import { checked } from './embed-rows.js';

/** Rows of one call to the embedder, and of one transaction: what a kill can cost. */
const ROWS_PER_CALL = 128;
const CALLS_UNDER_WAY = 3;

/** Counts of a re-embedding, also while it goes on. */
export interface ReembedCounts {
  /** Live chunks, and those that have their new vector, earlier runs included. */
  chunks: number;
  done: number;
  /** Chunks that this run embedded. */
  embedded: number;
  /** Tokens that the new model read, special ones included. */
  tokens: number;
  /** Chunks over the new model's window: embedded by windows and pooled, nothing dropped. */
  pooledChunks: number;
  /** Only remote models cut texts; what they cut is counted here. */
  truncatedChunks: number;
  truncatedTokens: number;
  /** Chunks of which it cannot be proved that the new model read what the old one had read. */
  uncertainChunks: number;
}

export function noReembedCounts(): ReembedCounts {
  return {
    chunks: 0,
    done: 0,
    embedded: 0,
    tokens: 0,
    pooledChunks: 0,
    truncatedChunks: 0,
    truncatedTokens: 0,
    uncertainChunks: 0,
  };
}

/**
 * Embeds every live chunk with another model, beside the vectors in use. Chunks that an earlier run of the same model
 * has done are left alone. Resolves to whether all are done; an abort lets what is under way be stored first.
 * @param counts filled as it goes
 */
export async function embedAnew(
  { writer, embedder }: { writer: StoreWriter; embedder: Embedder },
  counts: ReembedCounts,
  signal: AbortSignal,
): Promise<boolean> {
  const state: ReembeddingState = await writer.beginReembedding(embedder.fingerprint);
  counts.chunks = state.total;
  counts.done = state.done;
  async function* portions(): AsyncGenerator<TextsToEmbed, void, undefined> {
    while (!signal.aborted) {
      const portion = await writer.nextToReembed(ROWS_PER_CALL);
      if (portion.labels.length === 0) return;
      yield portion;
    }
  }
  const made = boundedMap(portions(), CALLS_UNDER_WAY, (portion) =>
    embedPortion(portion, embedder, counts, signal),
  );
  for await (const { labels, matrix, uncertain } of made) {
    if (matrix === undefined) continue;
    await writer.addReembedded(labels, matrix);
    counts.done += labels.length;
    counts.embedded += labels.length;
    counts.uncertainChunks += uncertain;
  }
  return counts.done === counts.chunks;
}

/** No matrix after an abort. */
async function embedPortion(
  { labels, texts, uncertain }: TextsToEmbed,
  embedder: Embedder,
  counts: ReembedCounts,
  signal: AbortSignal,
): Promise<{ labels: Uint32Array; uncertain: number; matrix: EmbeddingMatrix | undefined }> {
  try {
    const result = await untilAborted(embedder.embed(texts, 'passage', signal), signal);
    const { matrix, cost } = result;
    checked(result, textCount(texts), embedder);
    counts.tokens += cost.tokens;
    counts.pooledChunks += cost.pooled;
    counts.truncatedChunks += cost.truncatedTexts;
    counts.truncatedTokens += cost.truncatedTokens;
    return { labels, uncertain, matrix };
  } catch (error) {
    if (signal.aborted) return { labels, uncertain, matrix: undefined };
    throw toSluiceError(error, 'SLUICE_MODEL_FAILED', `the embedder ${embedder.fingerprint.name} failed`);
  }
}
