/**
 * Which sources a walk came by, so that what it no longer selects can go. Holds a number of 53 bits a file, not its name:
 * 10 to 16 bytes a file, so a million files are at most 16 MB. Two names with one number would only keep a stale document.
 */
export class SeenSources {
  readonly #hashes = new HashSet();
  readonly #kept: string[] = [];
  readonly #entered = new Set<string>();

  add(source: string): void {
    this.#hashes.add(hash(source));
  }

  /** A file or folder that could not be looked at: whatever is known of it stays. */
  keep(source: string): void {
    this.#kept.push(source);
  }

  /** A root inside the one that is walked: the walk came to its folder. */
  enter(root: string): void {
    this.#entered.add(root);
  }

  entered(root: string): boolean {
    return this.#entered.has(root);
  }

  has(source: string): boolean {
    if (this.#hashes.has(hash(source))) return true;
    return this.#kept.some((kept) => source === kept || source.startsWith(`${kept}/`));
  }
}

/** 53 bits of two FNV-1a hashes over UTF-16 units; never 0. */
function hash(text: string): number {
  let a = 0x811c9dc5;
  let b = 0x01000193;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
  }
  return (a >>> 0) * 2 ** 21 + (b >>> 11) || 1;
}

const HASH_BITS = 53;
/** Each shard grows by itself, so that no single step has to move millions of numbers: it would hold the main thread. */
const SHARD_BITS = 8;
const SHARD_RANGE = 2 ** (HASH_BITS - SHARD_BITS);
const FIRST_SLOTS = 16;
/** Fuller tables are slow to search. */
const MOST_FULL = 0.8;
const GROWTH = 1.5;

/** A set of whole numbers from 1 to 2^53 - 1 that are evenly spread. */
class HashSet {
  readonly #shards = Array.from({ length: 2 ** SHARD_BITS }, () => new Shard());

  add(value: number): void {
    this.#shards[Math.floor(value / SHARD_RANGE)]!.add(value);
  }

  has(value: number): boolean {
    return this.#shards[Math.floor(value / SHARD_RANGE)]!.has(value);
  }
}

/** Open addressing: a number lies in the first free slot from the one on that it hashes to; 0 is a free slot. */
class Shard {
  #slots = new Float64Array(FIRST_SLOTS);
  #count = 0;

  has(value: number): boolean {
    return this.#slots[this.#slotOf(value)] === value;
  }

  add(value: number): void {
    const slot = this.#slotOf(value);
    if (this.#slots[slot] === value) return;
    this.#slots[slot] = value;
    this.#count++;
    if (this.#count > this.#slots.length * MOST_FULL) this.#grow();
  }

  /** Where a number lies, or would lie. */
  #slotOf(value: number): number {
    const slots = this.#slots;
    let slot = value % slots.length;
    while (slots[slot] !== 0 && slots[slot] !== value) slot = slot + 1 === slots.length ? 0 : slot + 1;
    return slot;
  }

  #grow(): void {
    const values = this.#slots;
    this.#slots = new Float64Array(Math.ceil(values.length * GROWTH));
    for (const value of values) if (value !== 0) this.#slots[this.#slotOf(value)] = value;
  }
}
