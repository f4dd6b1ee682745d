import { type ErrorRecord, SluiceError, toErrorRecord } from '../errors.js';
import type { ChunkColumns } from '../model/chunk.js';
import type { ContextCounts } from '../model/context-line.js';
import type { Document } from '../model/document.js';
import type { Tokenizer } from '../model/tokenizer.js';
import { type Answered, ask, mostTokensOut } from './ask.js';
import { AnswerCache } from './cache.js';
import type { ResolvedEndpoint } from './options.js';
import { type Message, Prompts } from './prompt.js';
import { Turnstile } from './turnstile.js';

/** So many calls in a row that fail for good: the endpoint is down, and waiting for each chunk would take days. */
const FAILURES_IN_A_ROW = 5;
/** Then it is left alone for so long. */
const REST_MS = 60_000;

export interface Lines {
  /** A row a chunk; null where there is none. */
  lines: (string | null)[];
  /** Why the first of the missing ones is missing. */
  trouble: { chunks: number; error: ErrorRecord } | undefined;
}

/** Asks an endpoint for the lines of chunks, and keeps all answers. */
export class EndpointLines {
  readonly #endpoint: ResolvedEndpoint;
  readonly #cache: AnswerCache;
  readonly #turnstile: Turnstile;
  readonly #counter: Tokenizer;
  readonly #estimateOnly: boolean;
  #failuresInARow = 0;
  #restsUntil = 0;
  #lastFailure: ErrorRecord | undefined;

  /**
   * @param counter estimates tokens where the endpoint does not tell them
   * @param estimateOnly ask nothing: count what would be asked
   */
  constructor(endpoint: ResolvedEndpoint, counter: Tokenizer, estimateOnly: boolean) {
    this.#endpoint = endpoint;
    this.#cache = new AnswerCache(endpoint.cache);
    this.#turnstile = new Turnstile(endpoint.concurrency);
    this.#counter = counter;
    this.#estimateOnly = estimateOnly;
  }

  /** @throws SLUICE_ABORTED */
  async of(
    document: Document,
    chunks: ChunkColumns,
    counts: ContextCounts,
    signal: AbortSignal,
  ): Promise<Lines> {
    const prompts = new Prompts(document, chunks, this.#endpoint);
    let trouble: Lines['trouble'];
    const line = async (row: number): Promise<string | null> => {
      try {
        return await this.#line(prompts, row, counts, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        counts.missing++;
        trouble = { chunks: (trouble?.chunks ?? 0) + 1, error: trouble?.error ?? toErrorRecord(error) };
        return null;
      }
    };
    const rows = Array.from(chunks.start.keys());
    // All are awaited before a first failure is told: nothing goes on behind the back of who asked.
    const settled = await Promise.allSettled(
      rows.map((row) => (chunks.overLimit[row] === 1 ? null : this.#turnstile.pass(() => line(row)))),
    );
    const failed = settled.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
    return { lines: settled.map((one) => (one as PromiseFulfilledResult<string | null>).value), trouble };
  }

  async #line(
    prompts: Prompts,
    row: number,
    counts: ContextCounts,
    signal: AbortSignal,
  ): Promise<string | null> {
    if (signal.aborted) throw new SluiceError('SLUICE_ABORTED', 'the operation was aborted');
    const key = prompts.key(row);
    const kept = await this.#cache.get(key);
    if (kept !== undefined) {
      counts.cached++;
      return kept;
    }
    const messages = prompts.messages(row);
    if (this.#estimateOnly) {
      counts.made++;
      counts.tokensIn += this.#tokensOf(messages);
      counts.tokensOut += mostTokensOut(this.#endpoint);
      return null;
    }
    const answer = await this.#ask(messages, signal);
    await this.#cache.put(key, answer.line);
    counts.made++;
    counts.tokensIn += answer.tokensIn ?? this.#tokensOf(messages);
    counts.tokensOut += answer.tokensOut ?? this.#counter.count(answer.line);
    return answer.line;
  }

  async #ask(messages: readonly Message[], signal: AbortSignal): Promise<Answered> {
    if (performance.now() < this.#restsUntil && this.#lastFailure) {
      const { code, message } = this.#lastFailure;
      throw new SluiceError(code, `the context endpoint is left alone for a minute, because ${message}`);
    }
    try {
      const answer = await ask(this.#endpoint, messages, signal);
      this.#failuresInARow = 0;
      return answer;
    } catch (error) {
      if (!signal.aborted && ++this.#failuresInARow >= FAILURES_IN_A_ROW) {
        this.#lastFailure = toErrorRecord(error);
        this.#restsUntil = performance.now() + REST_MS;
        // The next call after the rest is one try more, not five.
        this.#failuresInARow = FAILURES_IN_A_ROW - 1;
      }
      throw error;
    }
  }

  #tokensOf(messages: readonly Message[]): number {
    return messages.reduce((sum, { content }) => sum + this.#counter.count(content), 0);
  }
}
