import { SluiceError } from '../errors.js';
import { postJson } from '../remote/post-json.js';
import { TransientFailure, withRetries } from '../remote/retry.js';
import { oneLine } from './lines.js';
import type { ResolvedEndpoint } from './options.js';
import type { Message } from './prompt.js';

export interface Answered {
  line: string;
  /** Undefined where the endpoint does not tell. */
  tokensIn: number | undefined;
  tokensOut: number | undefined;
}

const WHO = 'the context endpoint';
/** Models that think before they answer need more than the answer: it is cut to size anyway. */
const ANSWER_ROOM = 4;

/** What one call lets the model answer, and so the most that it costs. */
export const mostTokensOut = ({ contextTokens }: Pick<ResolvedEndpoint, 'contextTokens'>): number =>
  contextTokens * ANSWER_ROOM;

/**
 * One question to a chat/completions endpoint, tried again where that may help.
 * @throws SLUICE_MODEL_FAILED, SLUICE_ABORTED
 */
export function ask(
  resolved: ResolvedEndpoint,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<Answered> {
  const { endpoint, model, apiKeyEnv, retries, timeoutMs } = resolved;
  const apiKey = apiKeyEnv === undefined ? undefined : process.env[apiKeyEnv];
  const body = { model, messages, temperature: 0, max_tokens: mostTokensOut(resolved) };
  return withRetries(retries, signal, async () =>
    readAnswer(await postJson({ who: WHO, url: endpoint, body, apiKey, timeoutMs, signal })),
  );
}

function readAnswer(answer: unknown): Answered {
  const { choices, usage } = (answer ?? {}) as {
    choices?: Array<{ message?: { content?: unknown } }>;
    usage?: { prompt_tokens?: unknown; completion_tokens?: unknown };
  };
  const content = Array.isArray(choices) ? choices[0]?.message?.content : undefined;
  if (typeof content !== 'string') {
    throw new SluiceError('SLUICE_MODEL_FAILED', `${WHO} answered without choices[0].message.content`);
  }
  const line = oneLine(content);
  if (line === '') throw new TransientFailure(`${WHO} answered with nothing`, undefined);
  const tokens = (value: unknown) => (typeof value === 'number' && value >= 0 ? value : undefined);
  return { line, tokensIn: tokens(usage?.prompt_tokens), tokensOut: tokens(usage?.completion_tokens) };
}
