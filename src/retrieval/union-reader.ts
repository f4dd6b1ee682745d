import { SluiceError } from '../errors.js';
import type { Filter } from '../model/filter.js';
import type { Label, LabelSet, LegResult, StoredChunk, StoreReader } from '../model/store.js';

/** One of several indexes that are searched as one. */
export interface NamedReader {
  name: string;
  reader: StoreReader;
}

interface Part extends NamedReader {
  /** What is added to the index's own labels; a multiple of 8, so that sets of labels are joined byte by byte. */
  offset: Label;
  bytes: number;
}

/** What a search asks of a reader. */
export type SearchedReader = Pick<
  StoreReader,
  'generation' | 'problems' | 'select' | 'searchKeywords' | 'searchVectors' | 'chunks' | 'parents'
>;

const MAX_LABEL = 0xffff_ffff;

/**
 * Several indexes as one reader: each index's labels lie in a range of their own, legs are merged by score, and chunks
 * say which index they are of. Cosines are comparable across indexes of one embedder; BM25 scores are only roughly,
 * because rarity and length are each index's own.
 */
export class UnionReader implements SearchedReader {
  readonly #parts: readonly Part[];
  /** The sets of the indexes that a joined set is made of. */
  readonly #joined = new WeakMap<LabelSet, readonly LabelSet[]>();

  private constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  /** Good for one generation of each index: while none of them is refreshed. */
  static async of(readers: readonly NamedReader[]): Promise<UnionReader> {
    const parts: Part[] = [];
    let offset = 0;
    for (const { name, reader } of readers) {
      const { bits } = await reader.select(undefined);
      parts.push({ name, reader, offset, bytes: bits.length });
      offset += bits.length * 8;
    }
    if (offset > MAX_LABEL) {
      throw new SluiceError('SLUICE_USAGE', `the indexes have ${offset} labels together`, {
        hint: `at most ${MAX_LABEL} can be searched at once`,
      });
    }
    return new UnionReader(parts);
  }

  /** The newest of the generations; those of the indexes count apart. */
  get generation(): number {
    return Math.max(...this.#parts.map(({ reader }) => reader.generation));
  }

  /** Each with the name of its index before it. */
  get problems(): readonly string[] {
    return this.#parts.flatMap(({ name, reader }) => reader.problems.map((problem) => `${name}: ${problem}`));
  }

  /** @throws SLUICE_FILTER_UNKNOWN_FIELD for a field that no document of any index has */
  async select(filter: Filter | undefined): Promise<LabelSet> {
    const found = await Promise.all(this.#parts.map(({ reader }) => selectKnown(reader, filter)));
    const [first, ...others] = found.map(({ unknown }) => unknown);
    for (const [field, error] of first!) {
      if (others.every((unknown) => unknown.has(field))) throw error;
    }
    return this.#join(found.map(({ set }) => set));
  }

  searchKeywords(query: string, k: number, allowed: LabelSet): Promise<LegResult> {
    return this.#leg(k, allowed, ({ reader }, set) => reader.searchKeywords(query, k, set));
  }

  searchVectors(query: Float32Array, k: number, allowed: LabelSet, ef?: number): Promise<LegResult> {
    return this.#leg(k, allowed, ({ reader }, set) => reader.searchVectors(query, k, set, ef));
  }

  chunks(labels: Uint32Array): Promise<StoredChunk[]> {
    return this.#fetch(labels, (reader, own) => reader.chunks(own));
  }

  parents(labels: Uint32Array): Promise<StoredChunk[]> {
    return this.#fetch(labels, (reader, own) => reader.parents(own));
  }

  async #fetch(
    labels: Uint32Array,
    ask: (reader: StoreReader, own: Uint32Array) => Promise<StoredChunk[]>,
  ): Promise<StoredChunk[]> {
    const found = await Promise.all(
      this.#parts.map(async ({ name, reader, offset, bytes }) => {
        const own = labels.filter((label) => label >= offset && label < offset + bytes * 8);
        const chunks =
          own.length === 0
            ? []
            : await ask(
                reader,
                own.map((label) => label - offset),
              );
        return chunks.map((chunk) => ({ ...chunk, label: chunk.label + offset, index: name }));
      }),
    );
    const byLabel = new Map(found.flat().map((chunk) => [chunk.label, chunk]));
    return Array.from(labels).flatMap((label) => byLabel.get(label) ?? []);
  }

  #join(sets: readonly LabelSet[]): LabelSet {
    const bits = new Uint8Array(this.#parts.reduce((sum, { bytes }) => sum + bytes, 0));
    sets.forEach((set, i) => {
      const { offset, bytes } = this.#parts[i]!;
      bits.set(set.bits.subarray(0, bytes), offset / 8);
    });
    const joined = { bits, count: sets.reduce((sum, { count }) => sum + count, 0) };
    this.#joined.set(joined, sets);
    return joined;
  }

  async #leg(
    k: number,
    allowed: LabelSet,
    ask: (part: Part, set: LabelSet) => Promise<LegResult>,
  ): Promise<LegResult> {
    const sets = this.#joined.get(allowed);
    if (sets === undefined) throw new SluiceError('SLUICE_INTERNAL', 'a set of labels is of another reader');
    const results = await Promise.all(this.#parts.map((part, i) => ask(part, sets[i]!)));
    return mergeLegs(
      results.map(({ labels, scores }, i) => ({
        labels: labels.map((label) => label + this.#parts[i]!.offset),
        scores,
      })),
      k,
    );
  }
}

/** The best k of several lists, best first; equal scores in the order of the indexes. */
function mergeLegs(lists: readonly LegResult[], k: number): LegResult {
  const hits = lists.flatMap(({ labels, scores }) =>
    Array.from(labels, (label, at) => ({ label, score: scores[at]! })),
  );
  const best = hits.sort((a, b) => b.score - a.score || a.label - b.label).slice(0, k);
  return {
    labels: Uint32Array.from(best, ({ label }) => label),
    scores: Float32Array.from(best, ({ score }) => score),
  };
}

/** The chunks that pass, and the fields that this index does not know: there they are missing everywhere. */
async function selectKnown(
  reader: SearchedReader,
  filter: Filter | undefined,
): Promise<{ set: LabelSet; unknown: ReadonlyMap<string, SluiceError> }> {
  const unknown = new Map<string, SluiceError>();
  for (;;) {
    try {
      return { set: await reader.select(filter, new Set(unknown.keys())), unknown };
    } catch (error) {
      const field = unknownField(error);
      if (field === undefined || unknown.has(field)) throw error;
      unknown.set(field, error as SluiceError);
    }
  }
}

function unknownField(error: unknown): string | undefined {
  if (!SluiceError.is(error) || error.code !== 'SLUICE_FILTER_UNKNOWN_FIELD') return undefined;
  const { field } = error.details;
  return typeof field === 'string' ? field : undefined;
}
