import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { applyPatch } from '../../src/metadata-patch.js';
import type { Metadata } from '../../src/model/document.js';
import type { Filter } from '../../src/model/filter.js';
import { addon } from '../../src/native/addon.js';
import type { OpenIndexOptions } from '../../src/open-options.js';
import type { SluiceIndex } from '../../src/sluice-index.js';
import { evaluateFilter, parseFilter } from '../../src/store/index.js';
import { newIndex } from '../index-support.js';
import { randomness, vectorOf } from '../store/support.js';
import { EVERY_FIELD, metadata } from './random-filters.js';

/** Words that no stemmer changes. */
export const WORDS = [
  'bazok',
  'celup',
  'dimak',
  'fonub',
  'gaxik',
  'hudop',
  'jelok',
  'kimub',
  'lopak',
  'muzik',
];
const DIMS = 16;
/** The document that has every field, and is never changed. */
const EVERY = 'every';

/** One in so many documents says the same as all others of these: their vectors are copies of one another. */
const COPY_EVERY = 10;

export interface PlainDocument {
  id: string;
  title: string;
  text: string;
  metadata: Metadata;
  vector: Float32Array;
}
export type Allowed = ReadonlyMap<string, PlainDocument>;

/** What the toy model of the tests makes of a text. */
export const toyVector = (text: string): Float32Array => vectorOf(`toy: ${text}`, DIMS);

/** A real index of documents of one chunk each, and beside it a map of what must be in it. */
export class PlainIndex {
  readonly index: SluiceIndex;
  readonly documents = new Map<string, PlainDocument>();
  readonly #next: () => number;
  readonly #seed: number;
  #made = 0;

  private constructor(index: SluiceIndex, seed: number) {
    this.index = index;
    this.#next = randomness(seed);
    this.#seed = seed;
  }

  static async make(count: number, seed: number, options: OpenIndexOptions): Promise<PlainIndex> {
    const made = new PlainIndex(await newIndex(options), seed);
    await made.#put([toPlain(EVERY, EVERY, 'nothing', EVERY_FIELD)]);
    await made.#put(made.#newDocuments(count));
    return made;
  }

  /** What a filter allows, by the plain twin. */
  allowed(filter: Filter): Allowed {
    const parsed = parseFilter(filter);
    return new Map([...this.documents].filter(([, one]) => passes(parsed, one)));
  }

  /** Cosines of the best k of some documents, best first, in float32 as the store has them. */
  static exactScores(query: Float32Array, documents: readonly PlainDocument[], k: number): Float32Array {
    const scores = new Float32Array(documents.length);
    for (const [at, { vector }] of documents.entries()) {
      let dot = 0;
      for (let i = 0; i < DIMS; i++) dot += vector[i]! * query[i]!;
      scores[at] = dot;
    }
    return scores.sort().reverse().subarray(0, k);
  }

  /** Replaces, patches, removes and adds, each a share of all documents, in commits of their own. */
  async change(share: number): Promise<void> {
    const count = Math.ceil(this.documents.size * share);
    await this.#put(this.#newDocuments(count, this.#some(count)));
    const removed = this.#some(count);
    await this.index.remove(removed);
    for (const id of removed) this.documents.delete(id);
    await this.#patch();
    await this.#put(this.#newDocuments(count));
  }

  /** Replaces the same documents again and again: what lies in the graph is mostly dead then. */
  async replaceOften(share: number, rounds: number): Promise<void> {
    const ids = this.#some(Math.ceil(this.documents.size * share));
    for (let round = 0; round < rounds; round++) await this.#put(this.#newDocuments(ids.length, ids));
  }

  /** What the newest graph file holds, dead vectors included; 0 without one. */
  graphedVectors(): number {
    const folder = join(this.index.folder, 'graph');
    const [file] = readdirSync(folder).filter((name) => /\.(graph|hnsw)$/.test(name));
    return file === undefined ? 0 : addon().GraphSnapshot.describe(join(folder, file)).count;
  }

  async #patch(): Promise<void> {
    const tenant = ['x', 'y', 'z'][Math.floor(this.#next() * 3)]!;
    const patch = { set: { tenant, 'a.deep': 'en' }, unset: ['b'] };
    // Only where `a` is an object: elsewhere a field inside it would be refused.
    const filter = { $id: { prefix: `d${Math.floor(this.#next() * 10)}` }, 'a.deep': { exists: true } };
    const changed = this.allowed(filter);
    await this.index.update({ filter }, patch);
    for (const [id, one] of changed)
      this.documents.set(id, { ...one, metadata: applyPatch(one.metadata, patch) });
  }

  async #put(documents: PlainDocument[]): Promise<void> {
    await this.index.add(documents.map(({ vector: _, ...given }) => given));
    for (const one of documents) this.documents.set(one.id, one);
  }

  /** Different ids, never that of the one with every field. */
  #some(count: number): string[] {
    const ids = [...this.documents.keys()];
    const chosen = Array.from({ length: count }, () => ids[Math.floor(this.#next() * ids.length)]!);
    return [...new Set(chosen)].filter((id) => id !== EVERY);
  }

  #newDocuments(count: number, ids?: string[]): PlainDocument[] {
    const wanted = ids?.length ?? count;
    const fields = fc.sample(metadata, { numRuns: wanted, seed: this.#seed + this.#made });
    this.#made += wanted;
    return fields.map((some, i) => {
      const id = ids?.[i] ?? `d${this.#made - wanted + i}`;
      // As JSON has it: -0 and the like are not what this is about.
      const plain = JSON.parse(JSON.stringify({ ...some, share: this.#next() }));
      if (this.#next() < 1 / COPY_EVERY) return toPlain(id, 'copy', `${WORDS[0]} ${WORDS[1]}`, plain);
      const length = 2 + Math.floor(this.#next() * 6);
      const words = Array.from({ length }, () => WORDS[Math.floor(this.#next() * WORDS.length)]!);
      return toPlain(id, id, words.join(' '), plain);
    });
  }
}

function toPlain(id: string, title: string, text: string, metadata: Metadata): PlainDocument {
  return { id, title, text, metadata, vector: toyVector(`${title}\n${text}`) };
}

function passes(parsed: ReturnType<typeof parseFilter>, one: PlainDocument): boolean {
  const { id, title, metadata } = one;
  return evaluateFilter(parsed, { id, source: id, title, format: 'text', metadata });
}
