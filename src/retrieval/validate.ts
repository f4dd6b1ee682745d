import { SluiceError } from '../errors.js';
import {
  type Collapse,
  DEFAULT_SEARCH_OPTIONS as DEFAULTS,
  type LegName,
  type ResolvedSearchOptions,
  type SearchOptions,
} from './options.js';
import { suggest } from './suggest.js';

const OPTION_NAMES: readonly (keyof SearchOptions)[] = [
  'k',
  'filter',
  'vector',
  'legs',
  'candidates',
  'shortlist',
  'rerank',
  'legWeights',
  'blend',
  'collapse',
  'overlapShare',
  'perDocument',
  'ef',
  'explain',
  'signal',
];
const LEG_NAMES = ['keywords', 'vectors'] as const;
const BLEND_NAMES = ['rrf', 'cosine', 'bm25', 'logit'] as const;
const COLLAPSES: readonly Collapse[] = ['none', 'overlap', 'document', 'parent'];

/** Most hits of one answer, each held in memory with its text; and most candidates, and the widest search for them. */
export const MAX_HITS = 1_000_000;

/** Longest query, in UTF-16 units: it is segmented on the calling thread, which may not be held up. */
export const MAX_QUERY_CHARACTERS = 20_000;

/**
 * Fills in the defaults and checks everything once: names, then types and ranges, then what must fit together.
 * Throws SLUICE_USAGE. An option that is undefined counts as not given.
 */
export function resolveSearchOptions(options: SearchOptions = {}): ResolvedSearchOptions {
  checkNames('option', options, OPTION_NAMES);
  const k = whole('k', options.k ?? DEFAULTS.k, 0, MAX_HITS);
  const legs = resolveLegs(options.legs);
  return {
    k,
    filter: options.filter,
    vector: givenVector(options.vector),
    legs,
    askedFor: { keywords: options.legs?.keywords === true, vectors: options.legs?.vectors === true },
    candidates: whole('candidates', options.candidates ?? DEFAULTS.candidates, 1, MAX_HITS),
    // By default the whole answer is reranked; who names a number may rerank only the head of a long list.
    shortlist: whole('shortlist', options.shortlist ?? Math.max(DEFAULTS.shortlist, k), 0),
    rerank: oneOf('rerank', options.rerank ?? DEFAULTS.rerank, ['auto', true, false]),
    legWeights: resolveLegWeights(options.legWeights, legs),
    blend: weights('blend', options.blend, DEFAULTS.blend, BLEND_NAMES),
    collapse: oneOf('collapse', options.collapse ?? DEFAULTS.collapse, COLLAPSES),
    overlapShare: share('overlapShare', options.overlapShare ?? DEFAULTS.overlapShare),
    perDocument:
      options.perDocument === undefined ? DEFAULTS.perDocument : whole('perDocument', options.perDocument, 1),
    ef: options.ef === undefined ? undefined : whole('ef', options.ef, 1, MAX_HITS),
    explain: oneOf('explain', options.explain ?? DEFAULTS.explain, [true, false]),
    signal: options.signal,
  };
}

/** The query as given, if it can be searched for; throws SLUICE_USAGE if it is empty, blank or too long. */
export function checkQuery(query: unknown): string {
  if (typeof query !== 'string') throw usage(`query must be a string, not ${typeof query}`);
  if (query.trim() === '') throw usage('query is empty');
  if (query.length > MAX_QUERY_CHARACTERS) {
    throw usage(`query has ${query.length} characters, and at most ${MAX_QUERY_CHARACTERS} are searched for`);
  }
  return query;
}

/** A copy, so that the caller may go on using the array. Its dimensions are held against the index by the store. */
function givenVector(vector: unknown): Float32Array | undefined {
  if (vector === undefined) return undefined;
  if (vector instanceof Float32Array) return vector.slice();
  throw usage('vector must be a Float32Array');
}

function resolveLegs(given: SearchOptions['legs']): Record<LegName, boolean> {
  checkNames('leg', given ?? {}, LEG_NAMES);
  const legs = {
    keywords: oneOf('legs.keywords', given?.keywords ?? true, [true, false]),
    vectors: oneOf('legs.vectors', given?.vectors ?? true, [true, false]),
  };
  if (!legs.keywords && !legs.vectors)
    throw usage('legs turns off both keywords and vectors: nothing could be found');
  return legs;
}

function resolveLegWeights(
  given: SearchOptions['legWeights'],
  legs: Readonly<Record<LegName, boolean>>,
): Record<LegName, number> {
  const resolved = weights('legWeights', given, DEFAULTS.legWeights, LEG_NAMES);
  if (LEG_NAMES.every((name) => !legs[name] || resolved[name] === 0)) {
    throw usage('legWeights gives weight 0 to every leg that is on: nothing could be found');
  }
  return resolved;
}

function weights<Name extends string>(
  option: string,
  given: { readonly [name in Name]?: number | undefined } | undefined,
  defaults: Readonly<Record<Name, number>>,
  names: readonly Name[],
): Record<Name, number> {
  checkNames(`weight in ${option}`, given ?? {}, names);
  const resolved: Record<Name, number> = { ...defaults };
  for (const name of names) {
    const weight: unknown = given?.[name] ?? defaults[name];
    if (typeof weight !== 'number' || !Number.isFinite(weight) || weight < 0) {
      throw usage(`${option}.${name} must be a finite number of 0 or more, not ${String(weight)}`);
    }
    resolved[name] = weight;
  }
  return resolved;
}

function checkNames(what: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null) throw usage(`expected an object with the ${what}s`);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const meant = suggest(name, known);
    const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean '${meant}'?`;
    throw new SluiceError('SLUICE_USAGE', `unknown ${what} '${name}'`, { hint, details: { name, known } });
  }
}

function whole(option: string, value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least)
    throw usage(`${option} must be a whole number of ${least} or more, not ${String(value)}`);
  if (value > most) throw usage(`${option} is ${value}, and may be at most ${most}`);
  return value;
}

function share(option: string, value: unknown): number {
  if (typeof value === 'number' && value > 0 && value <= 1) return value;
  throw usage(`${option} must be over 0 and at most 1, not ${String(value)}`);
}

function oneOf<Value>(option: string, value: unknown, allowed: readonly Value[]): Value {
  if (allowed.includes(value as Value)) return value as Value;
  throw usage(`${option} must be one of ${allowed.map(String).join(', ')}, not ${String(value)}`);
}

function usage(message: string): SluiceError {
  return new SluiceError('SLUICE_USAGE', message);
}
