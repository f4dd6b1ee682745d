import { SluiceError } from '../../errors.js';
import type { Passport } from '../../model/passport.js';
import { EXCHANGE_VERSION, type ExchangeHeader, invalidExport, noExport } from './exchange.js';
import {
  COUNT,
  checkFields,
  type FieldKind,
  FLAG,
  listOf,
  OBJECT,
  oneOf,
  orNull,
  TEXT,
  WrongField,
  within,
} from './exchange-fields.js';

/** As the addon: see MAX_DIMS in native-bindings/src/vectors/vector_graph.rs. */
const MAX_DIMS = 65_536;
const NUMBERS: FieldKind = {
  wanted: 'a list of finite numbers',
  fits: (value) => Array.isArray(value) && value.every(Number.isFinite),
};

const HEADER = {
  passport: OBJECT,
  generation: COUNT,
  documents: COUNT,
  chunks: COUNT,
  vectors: oneOf(['base64', 'arrays', 'none']),
};
const PASSPORT = {
  embedder: OBJECT,
  chunker: TEXT,
  analyzer: TEXT,
  dictionary: TEXT,
  reference: orNull(OBJECT),
};
const EMBEDDER = {
  kind: TEXT,
  name: TEXT,
  model: TEXT,
  tokenizer: TEXT,
  dims: within(1, MAX_DIMS),
  windowTokens: within(1, Number.MAX_SAFE_INTEGER),
  pooling: oneOf(['mean', 'cls', 'none']),
  normalized: FLAG,
  queryPrefix: TEXT,
  passagePrefix: TEXT,
};
const DIALS: Readonly<Record<string, FieldKind>> = {
  graphLinks: within(2, 1024),
  graphEffort: within(1, 1_000_000),
  vectorPrecision: oneOf(['int8', 'float32']),
  storedVectors: oneOf(['float32', 'float16']),
};
const REFERENCE = { texts: listOf(TEXT), vectors: listOf(NUMBERS) };
const SETTINGS = { model: orNull(TEXT), chunking: OBJECT };
const CUT_FOR = { model: orNull(TEXT), windowTokens: COUNT, passagePrefix: TEXT };

/**
 * @param place 'line 1' or 'the footer'
 * @throws SLUICE_EXPORT_INVALID where a header is none of this release
 */
export function checkHeader(file: string, header: unknown, place: string): ExchangeHeader {
  const given = header as Partial<ExchangeHeader> | undefined | null;
  if (typeof given !== 'object' || given === null || given.version === undefined) throw noExport(file);
  if (given.version !== EXCHANGE_VERSION)
    throw invalidExport(
      file,
      place,
      `it has version ${given.version}, this release reads ${EXCHANGE_VERSION}`,
    );
  try {
    checkFields<ExchangeHeader>(given, 'sluice', HEADER);
    checkPassport(given.passport);
    if (given.dials !== undefined) checkDials(given.dials);
  } catch (error) {
    if (error instanceof WrongField) throw invalidExport(file, place, error.message, error.field);
    throw error;
  }
  if (given.vectors === 'none' && given.chunks !== 0)
    throw new SluiceError(
      'SLUICE_EXPORT_INVALID',
      `${file} was exported without vectors (--vectors none), and an index cannot be made of it`,
      { hint: 'export the index again with --vectors base64, the default', details: { path: file } },
    );
  return given;
}

/** @throws WrongField */
function checkDials(dials: unknown): void {
  checkFields<object>(dials, 'sluice.dials', {});
  for (const [name, value] of Object.entries(dials)) {
    const kind = DIALS[name];
    if (kind === undefined) throw new WrongField(`sluice.dials.${name}`, 'is no dial');
    if (!kind.fits(value)) throw new WrongField(`sluice.dials.${name}`, `must be ${kind.wanted}`);
  }
}

/** @throws WrongField */
function checkPassport(passport: Passport): void {
  const path = 'sluice.passport';
  checkFields<Passport>(passport, path, PASSPORT);
  if (passport.parents !== undefined) checkFields(passport, path, { parents: FLAG });
  checkFields(passport.embedder, `${path}.embedder`, EMBEDDER);
  const { reference, settings } = passport;
  if (reference !== null) {
    checkFields<NonNullable<Passport['reference']>>(reference, `${path}.reference`, REFERENCE);
    const { texts, vectors } = reference;
    if (vectors.length !== texts.length)
      throw new WrongField(`${path}.reference.vectors`, `are ${vectors.length} of ${texts.length} texts`);
    const { dims } = passport.embedder;
    if (vectors.some(({ length }) => length !== dims))
      throw new WrongField(`${path}.reference.vectors`, `have not all ${dims} numbers`);
  }
  if (settings === undefined) return;
  checkFields<NonNullable<Passport['settings']>>(settings, `${path}.settings`, SETTINGS);
  if (settings.cutFor !== undefined) checkFields(settings.cutFor, `${path}.settings.cutFor`, CUT_FOR);
}
