import { SluiceError, toErrorRecord } from '../errors.js';
import type { DocumentInput } from '../model/document.js';
import type { Ledger } from './ledger.js';

/** A document in hand, or a stream of them. */
export type GivenDocuments = DocumentInput | Iterable<DocumentInput> | AsyncIterable<DocumentInput>;

/** Portions of documents as JSON, which is cheaper to hand to a worker than objects and shows at once what cannot go. */
export async function* givenPortions(
  given: readonly GivenDocuments[],
  ledger: Ledger,
  limits: { documents: number; characters: number },
): AsyncGenerator<string[], void, undefined> {
  let portion: string[] = [];
  let characters = 0;
  for await (const input of inputsOf(given)) {
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

async function* inputsOf(given: readonly GivenDocuments[]): AsyncGenerator<unknown, void, undefined> {
  for (const one of given) {
    if (isStream(one)) yield* one;
    else yield one;
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
