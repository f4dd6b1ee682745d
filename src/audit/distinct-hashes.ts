/**
 * How many distinct hashes a stream holds, in memory that is set beforehand: exact as long as all fit (about a
 * million), from then on an estimate from a sample. A segment that is full drops every other hash by a bit of it, and
 * keeps to that from then on, so what is left is a fair share of all hashes (adaptive sampling, Flajolet 1990).
 *
 *     hash   …… sampling bits …… │ slot │ segment (6 bits)
 */
const SEGMENTS = 64;
const SLOTS = 1 << 15;
const SEGMENT_BITS = 6n;
/** Of 64; the slot and the segment are made of the lower half. */
const FIRST_SAMPLING_BIT = 40n;

export class DistinctHashes {
  readonly #segments: readonly Segment[];

  /** @param slots of a segment, of which half are used; a power of 2 */
  constructor(slots = SLOTS) {
    this.#segments = Array.from({ length: SEGMENTS }, () => new Segment(slots));
  }

  /** How often this hash has come, this time included; 0 where it is not in the sample. */
  add(hash: bigint): number {
    return this.#segments[Number(hash & 63n)]!.add(hash);
  }

  /** Distinct hashes; rounded where it is an estimate. */
  get count(): number {
    return this.#segments.reduce((sum, { size, level }) => sum + size * 2 ** level, 0);
  }

  get isExact(): boolean {
    return this.#segments.every(({ level }) => level === 0);
  }
}

/** An open-addressed table; 0 marks a free slot. Made when its first hash comes. */
class Segment {
  size = 0;
  /** Hashes of which this many sampling bits are 0 are in the sample. */
  level = 0;
  readonly #slots: number;
  #hashes = new BigUint64Array(0);
  #counts = new Uint32Array(0);

  constructor(slots: number) {
    this.#slots = slots;
  }

  add(given: bigint): number {
    const hash = given === 0n ? 1n : given;
    if (!this.#isSampled(hash)) return 0;
    if (this.#hashes.length === 0) this.#clear();
    let slot = this.#slotOf(hash);
    if (this.#hashes[slot] === 0n) {
      if (this.size >= this.#slots / 2) {
        this.#thin();
        if (!this.#isSampled(hash)) return 0;
        slot = this.#slotOf(hash);
      }
      this.#hashes[slot] = hash;
      this.size++;
    }
    return ++this.#counts[slot]!;
  }

  #isSampled(hash: bigint): boolean {
    return (hash >> FIRST_SAMPLING_BIT) % (1n << BigInt(this.level)) === 0n;
  }

  #slotOf(hash: bigint): number {
    let slot = Number((hash >> SEGMENT_BITS) % BigInt(this.#slots));
    while (this.#hashes[slot] !== 0n && this.#hashes[slot] !== hash) slot = (slot + 1) % this.#slots;
    return slot;
  }

  #thin(): void {
    const [hashes, counts] = [this.#hashes, this.#counts];
    this.level++;
    this.#clear();
    for (let old = 0; old < hashes.length; old++) {
      const hash = hashes[old]!;
      if (hash === 0n || !this.#isSampled(hash)) continue;
      const slot = this.#slotOf(hash);
      this.#hashes[slot] = hash;
      this.#counts[slot] = counts[old]!;
      this.size++;
    }
  }

  #clear(): void {
    this.#hashes = new BigUint64Array(this.#slots);
    this.#counts = new Uint32Array(this.#slots);
    this.size = 0;
  }
}
