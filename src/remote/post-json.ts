import { SluiceError } from '../errors.js';
import { TransientFailure } from './retry.js';

export interface JsonRequest {
  /** In messages: 'the embeddings endpoint'. */
  who: string;
  url: string;
  body: unknown;
  /** Sent as a bearer token. */
  apiKey?: string | undefined;
  timeoutMs: number;
  signal: AbortSignal;
  /** Default: the global fetch. */
  fetch?: typeof fetch | undefined;
}

/**
 * One request, and its answer as parsed JSON.
 * @throws TransientFailure for what another attempt may cure (no connection, 429, 5xx, no JSON); SLUICE_MODEL_FAILED for
 *   any other refusal
 */
export async function postJson(request: JsonRequest): Promise<unknown> {
  const response = await post(request);
  if (!response.ok) throw await failureOf(request.who, response);
  try {
    return await response.json();
  } catch (cause) {
    throw new TransientFailure(`${request.who} did not answer with JSON`, undefined, { cause });
  }
}

async function post({
  who,
  url,
  body,
  apiKey,
  timeoutMs,
  signal,
  fetch: own,
}: JsonRequest): Promise<Response> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (apiKey !== undefined) headers.authorization = `Bearer ${apiKey}`;
  try {
    return await (own ?? fetch)(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
  } catch (cause) {
    const reason =
      (cause as Error).cause instanceof Error ? (cause as { cause: Error }).cause : (cause as Error);
    throw new TransientFailure(`${who} cannot be reached: ${reason.message}`, undefined, { cause });
  }
}

/** What a refusal means: worth another try, or wrong for good. */
async function failureOf(who: string, response: Response): Promise<Error> {
  const body = (await response.text().catch(() => '')).slice(0, 300);
  const message = `${who} answered ${response.status}${body === '' ? '' : `: ${body}`}`;
  if (response.status !== 429 && response.status < 500) {
    return new SluiceError('SLUICE_MODEL_FAILED', message, { details: { status: response.status } });
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new TransientFailure(message, Number.isFinite(seconds) ? seconds * 1000 : undefined);
}
