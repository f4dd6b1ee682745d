import { SluiceError } from '../errors.js';
import type { EmbedderFingerprint } from '../model/embedder.js';
import type { Passport } from '../model/passport.js';

/** Never compared: a name is for people, and reference vectors are checked against the model itself. */
const EMBEDDER_FIELDS = [
  'kind',
  'model',
  'tokenizer',
  'dims',
  'windowTokens',
  'pooling',
  'normalized',
  'queryPrefix',
  'passagePrefix',
] as const satisfies readonly (keyof EmbedderFingerprint)[];

const FIELDS = ['formatVersion', 'chunker', 'readers', 'analyzer', 'dictionary'] as const;

export interface PassportDifference {
  /** e.g. 'embedder.dims' */
  field: string;
  /** What the index was made with. */
  expected: unknown;
  /** What was given. */
  actual: unknown;
}

export function passportDifferences(stored: Passport, given: Passport): PassportDifference[] {
  const differences: PassportDifference[] = [];
  for (const field of FIELDS) {
    const [expected, actual] = [stored[field], given[field]];
    if (expected !== actual) differences.push({ field, expected, actual });
  }
  return [...differences, ...embedderDifferences(stored.embedder, given.embedder)];
}

/** Of all that shapes vectors. */
export function embedderDifferences(
  stored: EmbedderFingerprint,
  given: EmbedderFingerprint,
): PassportDifference[] {
  return EMBEDDER_FIELDS.flatMap((field) => {
    const [expected, actual] = [stored[field], given[field]];
    return expected === actual ? [] : [{ field: `embedder.${field}`, expected, actual }];
  });
}

/** @throws SLUICE_PASSPORT_MISMATCH naming every field that differs; `details.fields` lists them */
export function comparePassports(stored: Passport, given: Passport): void {
  const fields = passportDifferences(stored, given);
  if (fields.length === 0) return;
  const list = fields.map(
    ({ field, expected, actual }) =>
      `${field} (index: ${JSON.stringify(expected)}, given: ${JSON.stringify(actual)})`,
  );
  throw new SluiceError(
    'SLUICE_PASSPORT_MISMATCH',
    `the index was made with other settings: ${list.join(', ')}`,
    { hint: 'open it with the settings it was made with, or index into a new folder', details: { fields } },
  );
}
