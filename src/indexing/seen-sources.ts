/**
 * Which sources a walk came by, so that what it no longer selects can go. Holds one number a file, not its name: a
 * million files are some 40 MB. Two names with one number would only keep a stale document.
 */
export class SeenSources {
  readonly #hashes = new Set<number>();
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

/** 53 bits of two FNV-1a hashes over UTF-16 units. */
function hash(text: string): number {
  let a = 0x811c9dc5;
  let b = 0x01000193;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
  }
  return (a >>> 0) * 2 ** 21 + (b >>> 11);
}
