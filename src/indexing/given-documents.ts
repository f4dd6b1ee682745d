import { SluiceError, toErrorRecord } from '../errors.js';
import type { DocumentInput } from '../model/document.js';
import { untilAborted } from '../threads/abort-listeners.js';
import type { Ledger } from './ledger.js';

/** A document in hand, or a stream of them. */
export type GivenDocuments = DocumentInput | Iterable<DocumentInput> | AsyncIterable<DocumentInput>;

/** Portions of documents as JSON, which is cheaper to hand to a worker than objects and shows at once what cannot go. Ends when the signal fires. */
export async function* givenPortions(
  given: readonly GivenDocuments[],
  ledger: Ledger,
  limits: { documents: number; characters: number },
  signal?: AbortSignal,
): AsyncGenerator<string[], void, undefined> {
  let portion: string[] = [];
  let characters = 0;
  for await (const input of inputsOf(given, signal)) {
    const json = asJson(input, ledger);
    if (json === undefined) continue;
    portion.push(json);
    characters += json.length;
    if (portion.length < limits.documents && characters < limits.characters) continue;
    yield portion;
    portion = [];
    characters = 0;
  }
  if (portion.length > 0) yield portion;
}

async function* inputsOf(
  given: readonly GivenDocuments[],
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, undefined> {
  for (const one of given) {
    if (!isStream(one)) yield one;
    else if (Symbol.asyncIterator in one) yield* untilStopped(one, signal);
    else yield* one;
  }
}

/** A stream may wait for ever for its next document: after the signal nobody waits with it. */
async function* untilStopped(
  stream: AsyncIterable<unknown>,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, undefined> {
  const iterator = stream[Symbol.asyncIterator]();
  let open = false;
  try {
    for (;;) {
      open = false;
      const next = await untilAborted(Promise.resolve(iterator.next()), signal).catch((error: unknown) => {
        if (!signal?.aborted) throw error;
      });
      if (next === undefined) {
        // It can end itself as soon as it has what it waits for.
        Promise.resolve(iterator.return?.()).catch(() => {});
        return;
      }
      if (next.done) return;
      open = true;
      yield next.value;
    }
  } finally {
    if (open) await iterator.return?.();
  }
}

export function isStream(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return (
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
  );
}

/** Undefined, and a skipped item, for what is no document or no JSON: a cycle, a function. */
function asJson(input: unknown, ledger: Ledger): string | undefined {
  const name =
    typeof input === 'object' && input !== null ? String((input as DocumentInput).id) : String(input);
  try {
    if (typeof input !== 'object' || input === null) {
      throw new SluiceError('SLUICE_RECORD_INVALID', `${name} is no document`, {
        hint: 'give an object with id and text',
      });
    }
    return JSON.stringify(input);
  } catch (error) {
    const { code, message, details } = toErrorRecord(error, 'SLUICE_RECORD_INVALID');
    ledger.skip({ source: name, error: { code, message: `document ${name}: ${message}`, details } });
    return undefined;
  }
}
