import { realpath } from 'node:fs/promises';
import { SluiceError } from './errors.js';
import type { LiveIndex, Snapshot } from './live-index.js';
import { type NamedReader, type SearchOptions, type SearchResult, UnionReader } from './retrieval/index.js';
import { searchSnapshot, warmModels } from './search-snapshot.js';
import { SluiceIndex } from './sluice-index.js';
import { embedderDifferences } from './store/index.js';

/** As of one index, with `index` on every hit. */
export interface IndexesSearchResult extends Omit<SearchResult, 'generation'> {
  /** The generation of each index that the hits are of, by its name. */
  readonly generations: Readonly<Record<string, number>>;
}

interface NamedIndex {
  name: string;
  live: LiveIndex;
}

/**
 * Searches several open indexes as one: one list of the k best passages over all of them, each with `hit.index`, the
 * name that you give or else the folder. The indexes must have been made with one embedding model. Equal document ids
 * in two indexes are two documents. A filter applies to every index; a field that only some of them know is missing in
 * the others. Cosines compare exactly across indexes, BM25 scores roughly: each index weighs words by its own texts.
 *
 *     const { hits } = await searchIndexes({ handbook, tickets }, 'how are keys rotated?');
 *     for (const { index, source, text } of hits) console.log(index, source, text);
 *
 * @throws SLUICE_PASSPORT_MISMATCH naming the field in which the embedders differ; SLUICE_USAGE for no index, and for
 *   two of one name or one folder; otherwise as `SluiceIndex.search`
 */
export async function searchIndexes(
  indexes: readonly SluiceIndex[] | Readonly<Record<string, SluiceIndex>>,
  query: string,
  options: SearchOptions = {},
): Promise<IndexesSearchResult> {
  const named = nameIndexes(indexes);
  await refuseSameFolder(named);
  const [first] = named;
  await warmModels(first!.live, query, options);
  return readAll(named, async (snapshots) => {
    refuseOtherEmbedders(named);
    const readers = named.map((one): NamedReader => ({ name: one.name, reader: snapshots.get(one)!.reader }));
    const generations = Object.fromEntries(readers.map(({ name, reader }) => [name, reader.generation]));
    const joined = { ...snapshots.get(first!)!, reader: await UnionReader.of(readers) };
    const { generation: _newest, ...rest } = await searchSnapshot(
      first!.live,
      joined,
      query,
      options,
      named.map(({ live }) => live.passport),
    );
    return { ...rest, generations };
  });
}

/** Each index at one generation. Always entered in the order of opening, so that two searches never wait in a ring. */
function readAll<T>(
  indexes: readonly NamedIndex[],
  use: (snapshots: ReadonlyMap<NamedIndex, Snapshot>) => Promise<T>,
): Promise<T> {
  const order = [...indexes].sort((a, b) => a.live.sequence - b.live.sequence);
  const snapshots = new Map<NamedIndex, Snapshot>();
  const enter = (at: number): Promise<T> => {
    const next = order[at];
    if (next === undefined) return use(snapshots);
    return next.live.read((snapshot) => {
      snapshots.set(next, snapshot);
      return enter(at + 1);
    });
  };
  return enter(0);
}

/** Two handles of one folder would give every passage twice. @throws SLUICE_USAGE */
async function refuseSameFolder(indexes: readonly NamedIndex[]): Promise<void> {
  const names = new Map<string, string>();
  for (const { name, live } of indexes) {
    const folder = await realpath(live.folder);
    const other = names.get(folder);
    if (other !== undefined) throw usage(`${other} and ${name} are one index: ${folder}`);
    names.set(folder, name);
  }
}

function refuseOtherEmbedders([first, ...others]: readonly NamedIndex[]): void {
  for (const { name, live } of others) {
    const fields = embedderDifferences(first!.live.passport.embedder, live.passport.embedder);
    if (fields.length === 0) continue;
    const list = fields.map(({ field, expected, actual }) => `${field} (${expected} and ${actual})`);
    throw new SluiceError(
      'SLUICE_PASSPORT_MISMATCH',
      `the indexes ${first!.name} and ${name} have vectors of different models: ${list.join(', ')}`,
      { hint: 'search them apart, or re-embed one of them with the model of the other', details: { fields } },
    );
  }
}

/** @throws SLUICE_USAGE */
function nameIndexes(indexes: unknown): NamedIndex[] {
  const entries: [string, unknown][] = Array.isArray(indexes)
    ? indexes.map((index) => [SluiceIndex.is(index) ? index.folder : '', index])
    : Object.entries((indexes as Record<string, unknown> | null) ?? {});
  if (entries.length === 0) throw usage('there is no index to search');
  const names = new Set<string>();
  const seen = new Set<LiveIndex>();
  return entries.map(([name, index]) => {
    if (!SluiceIndex.is(index)) throw usage(`${name || 'one of the indexes'} is no open index`);
    if (names.has(name)) throw usage(`two indexes are called ${name}`);
    names.add(name);
    const live = SluiceIndex.partsOf(index);
    // Besides being of no use, an index that is entered twice would wait for itself.
    if (seen.has(live)) throw usage(`${name} is given twice`);
    seen.add(live);
    return { name, live };
  });
}

function usage(message: string): SluiceError {
  return new SluiceError('SLUICE_USAGE', message, {
    hint: 'write searchIndexes([a, b], query), or searchIndexes({ name: a, other: b }, query)',
  });
}
