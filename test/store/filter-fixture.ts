import { join } from 'node:path';
import type { Metadata } from '../../src/model/document.js';
import type { FilterScalar } from '../../src/model/filter.js';
import type { DocumentCounts, Facets } from '../../src/model/store.js';
import { packTexts } from '../../src/model/text-column.js';
import { addon } from '../../src/native/addon.js';
import type { NativeFilterIndex, NativeFilterWriter } from '../../src/native/contract.js';
import {
  compareCodePoints,
  elementsOf,
  evaluateFilter,
  type FilterSubject,
  fieldValue,
} from '../../src/store/filter/evaluate.js';
import { toFacets } from '../../src/store/filter/facet-rows.js';
import { unknownField } from '../../src/store/filter/grammar.js';
import { encodeFilter } from '../../src/store/filter/node.js';
import { parseFilter } from '../../src/store/filter/parse.js';
import { newFolder } from './support.js';

/** How the documents of a bench lie: in segments of these sizes, the first of them in a file, and some of them dead. */
export interface Layout {
  segments?: number[];
  file?: boolean;
  dead?: number[];
}

/** Document i has chunks, labels and a key that differ from i; some have no chunks. */
const chunksOf = (i: number) => [1, 2, 0, 70][i % 4]!;

/**
 * Filters over documents by the native index, without a database, and by the twin. Document i is called `doc i`, and
 * its source, title and format tell it too.
 */
export class FilterBench {
  readonly #subjects: FilterSubject[];
  readonly #dead: Set<number>;
  readonly #native: NativeFilterIndex = addon().FilterIndex.create();
  readonly #ready: Promise<void>;
  readonly #firstLabels: number[] = [];
  #maxLabel = 0;

  constructor(metadata: Metadata[], layout: Layout = {}) {
    this.#subjects = metadata.map((fields, i) => ({
      id: `doc ${i}`,
      source: `doc ${i}`,
      title: `title ${i}`,
      format: 'text',
      metadata: JSON.parse(JSON.stringify(fields)),
    }));
    this.#dead = new Set(layout.dead);
    for (let i = 0; i < metadata.length; i++) {
      this.#firstLabels.push(this.#maxLabel + 1);
      this.#maxLabel += chunksOf(i) + (i % 5 === 0 ? 3 : 0);
    }
    this.#ready = this.#load(layout);
  }

  /** Numbers of the documents that the native index lets through. Holds labels, count and list against each other. */
  async byIndex(filter: unknown): Promise<number[]> {
    await this.#ready;
    const encoded = await encodeFilter(parseFilter(filter));
    const { unknown, ids } = await this.#native.list(encoded, null, this.#subjects.length);
    await this.#checkKnown(unknown);
    const found = ids.map((id) => Number(id.slice('doc '.length))).sort((a, b) => a - b);
    const labels = found.flatMap((i) =>
      Array.from({ length: chunksOf(i) }, (_, c) => this.#firstLabels[i]! + c),
    );
    const { bits, count } = await this.#native.select(encoded, this.#maxLabel);
    const set = Array.from({ length: bits.length * 8 }, (_, label) => label).filter(
      (label) => (bits[label >> 3]! >> (label & 7)) & 1,
    );
    if (set.join() !== labels.join() || count !== labels.length)
      throw new Error(`labels ${set}, not ${labels}`);
    const counted = await this.#native.count(encoded);
    if (counted.documents !== found.length || counted.chunks !== count) throw new Error('counts differ');
    return found;
  }

  /** The same by the twin. */
  byTwin(filter: unknown): number[] {
    const parsed = parseFilter(filter);
    return this.#subjects.flatMap((subject, i) =>
      !this.#dead.has(i) && evaluateFilter(parsed, subject) ? [i] : [],
    );
  }

  async facetsByIndex(field: string, filter: unknown, limit: number): Promise<Facets> {
    await this.#ready;
    const rows = await this.#native.facets(field, await encodeFilter(parseFilter(filter)), limit);
    await this.#checkKnown(rows.unknown);
    return toFacets(rows);
  }

  facetsByTwin(field: string, filter: unknown, limit: number): Facets {
    const counts = new Map<FilterScalar, DocumentCounts>();
    for (const i of this.byTwin(filter)) {
      const value = fieldValue(field, this.#subjects[i]!);
      if (value === undefined) continue;
      for (const element of new Set(elementsOf(value))) {
        const count = counts.get(element) ?? { documents: 0, chunks: 0 };
        counts.set(element, { documents: count.documents + 1, chunks: count.chunks + chunksOf(i) });
      }
    }
    const values = [...counts]
      .map(([value, count]) => ({ value, ...count }))
      .sort((a, b) => b.documents - a.documents || compareValues(a.value, b.value));
    return { values: values.slice(0, limit), distinct: values.length };
  }

  async #load({ segments = [this.#subjects.length], file = false }: Layout): Promise<void> {
    let from = 0;
    for (const [at, size] of segments.entries()) {
      const to =
        at === segments.length - 1 ? this.#subjects.length : Math.min(from + size, this.#subjects.length);
      if (file && at === 0) {
        const writer = addon().FilterWriter.create();
        await this.#feed(writer, from, to);
        const path = join(newFolder(), '1.cols');
        await writer.save(path, 'bench', 1);
        await this.#native.open(path, 'bench', 1, 1);
      } else {
        await this.#feed(this.#native, from, to);
        await this.#native.seal();
      }
      from = to;
    }
    await this.#native.remove(Float64Array.from(this.#dead, (i) => i * 2 + 7));
  }

  async #feed(into: Pick<NativeFilterWriter, 'add'>, from: number, to: number): Promise<void> {
    const some = this.#subjects.slice(from, to);
    const numbers = some.flatMap((_, i) => {
      const doc = from + i;
      return [doc * 2 + 7, 1, this.#firstLabels[doc]!, chunksOf(doc)];
    });
    const { bytes, offsets } = packTexts(
      some.flatMap(({ id, source, title, format, metadata }) => [
        id,
        source,
        title,
        format,
        JSON.stringify(metadata),
      ]),
    );
    await into.add(Float64Array.from(numbers), bytes, offsets);
  }

  async #checkKnown([field]: string[]): Promise<void> {
    if (field !== undefined) throw unknownField(field, await this.#native.fields());
  }
}

const RANKS = ['null', 'boolean', 'number', 'string'];

/** Null, booleans, numbers, strings by code point. */
function compareValues(a: FilterScalar, b: FilterScalar): number {
  const rank = (value: FilterScalar) => RANKS.indexOf(value === null ? 'null' : typeof value);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  return typeof a === 'string' ? compareCodePoints(a, b as string) : Number(a) - Number(b);
}
