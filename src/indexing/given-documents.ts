import { setImmediate } from 'node:timers/promises';
import { SluiceError, toErrorRecord } from '../errors.js';
import type { DocumentInput } from '../model/document.js';
import { untilAborted } from '../threads/abort-listeners.js';
import type { Ledger } from './ledger.js';

/** A document in hand, or a stream of them. */
export type GivenDocuments = DocumentInput | Iterable<DocumentInput> | AsyncIterable<DocumentInput>;

/** A document as it goes to a worker. */
export interface PackedInput {
  /** JSON, which is cheaper to hand over than objects and shows at once what cannot go; without the text if that is long. */
  json: string;
  /** The UTF-16 of a long text: shared, so that it is not copied, spelled or cloned at one stroke. */
  text: Uint16Array<SharedArrayBuffer> | null;
}

/** From this length on a text goes beside the JSON. */
const LONG_TEXT_UNITS = 256 * 1024;
/** Of a long text, copied without a pause: a fraction of a millisecond. */
const COPIED_UNITS = 256 * 1024;

/** Portions of documents. Ends when the signal fires. */
export async function* givenPortions(
  given: readonly GivenDocuments[],
  ledger: Ledger,
  limits: { documents: number; characters: number },
  signal?: AbortSignal,
): AsyncGenerator<PackedInput[], void, undefined> {
  let portion: PackedInput[] = [];
  let characters = 0;
  for await (const input of inputsOf(given, signal)) {
    const packed = await packInput(input, ledger);
    if (packed === undefined) continue;
    portion.push(packed);
    characters += packed.json.length + (packed.text?.length ?? 0);
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
async function packInput(input: unknown, ledger: Ledger): Promise<PackedInput | undefined> {
  const name =
    typeof input === 'object' && input !== null ? String((input as DocumentInput).id) : String(input);
  try {
    if (typeof input !== 'object' || input === null) {
      throw new SluiceError('SLUICE_RECORD_INVALID', `${name} is no document`, {
        hint: 'give an object with id and text',
      });
    }
    const { text } = input as { text?: unknown };
    const isLong = typeof text === 'string' && text.length >= LONG_TEXT_UNITS;
    // One that spells itself may spell another text.
    if (!isLong || !Object.hasOwn(input, 'text') || 'toJSON' in input)
      return { json: JSON.stringify(input), text: null };
    return { json: JSON.stringify({ ...input, text: '' }), text: await unitsOf(text) };
  } catch (error) {
    const { code, message, details } = toErrorRecord(error, 'SLUICE_RECORD_INVALID');
    ledger.skip({ source: name, error: { code, message: `document ${name}: ${message}`, details } });
    return undefined;
  }
}

/** As UTF-16, which keeps lone surrogates for the worker to judge, as JSON does. */
async function unitsOf(text: string): Promise<Uint16Array<SharedArrayBuffer>> {
  const units = new Uint16Array(new SharedArrayBuffer(text.length * Uint16Array.BYTES_PER_ELEMENT));
  const bytes = Buffer.from(units.buffer);
  for (let from = 0; from < text.length; from += COPIED_UNITS) {
    bytes.write(text.slice(from, from + COPIED_UNITS), from * units.BYTES_PER_ELEMENT, 'utf16le');
    await setImmediate();
  }
  return units;
}

/** The other side of packing. */
export function unpackInput({ json, text }: PackedInput): DocumentInput {
  const input = JSON.parse(json) as DocumentInput;
  if (text === null) return input;
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  return { ...input, text: bytes.toString('utf16le') };
}
