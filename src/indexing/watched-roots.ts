import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Changes } from './changes.js';
import { FolderWatches } from './folder-watches.js';

/** How often the roots themselves are looked at: no watch tells that a folder around them was renamed. */
const LOOK_EVERY_MS = 2_000;
/** How often all is looked at where the system gives no watch. */
const BLIND_EVERY_MS = 10_000;

/** The roots, the folders below them, and whether anything happened there. */
export class WatchedRoots {
  readonly #paths: ReadonlySet<string>;
  readonly #changes: Changes;
  readonly #watches: FolderWatches;
  readonly #timer: NodeJS.Timeout;
  readonly #onBlind: ((error: Error) => void) | undefined;
  /** Which file or folder each root was when it was looked at; undefined: none. */
  readonly #identities = new Map<string, string | undefined>();
  /** Roots that are gone, until a run has removed what was in them. */
  readonly #gone = new Set<string>();
  #blindTimer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(
    paths: readonly string[],
    debounceMs: number,
    hidden: boolean,
    onBlind: ((error: Error) => void) | undefined,
  ) {
    this.#paths = new Set(paths.map((path) => resolve(path)));
    this.#onBlind = onBlind;
    this.#changes = new Changes(debounceMs);
    this.#watches = new FolderWatches({
      onChange: () => this.#changes.note(),
      onBlind: (error) => this.#goBlind(error),
      hidden,
    });
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
  }

  changed(signal: AbortSignal): Promise<boolean> {
    return this.#changes.settled(signal);
  }

  /** Roots that are there, and those that are gone and must be removed. */
  async present(): Promise<string[]> {
    const present: string[] = [];
    for (const path of this.#paths) {
      // Before it is looked at, so that nothing happens in between.
      this.#watches.name(path);
      const before = this.#identities.get(path);
      const now = await identity(path);
      this.#identities.set(path, now);
      if (before !== undefined && before !== now) this.#watches.distrustAll();
      if (now !== undefined) this.#gone.delete(path);
      else if (before !== undefined) this.#gone.add(path);
      if (now !== undefined || this.#gone.has(path)) present.push(path);
    }
    return present;
  }

  folder(path: string): void {
    this.#watches.folder(path);
  }

  /** @param whole the run came to its end */
  endRound(whole: boolean): void {
    if (whole) this.#gone.clear();
    this.#watches.endRound(whole);
  }

  close(): void {
    clearInterval(this.#timer);
    clearInterval(this.#blindTimer);
    this.#watches.close();
  }

  /** Whether the roots and the folders around them are still what they were. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const places = new Set([...this.#paths].map((path) => dirname(path)));
    // A file is news of the folder that it is in.
    for (const path of this.#paths) if (!this.#identities.get(path)?.startsWith('file')) places.add(path);
    for (const path of places) {
      const now = await identity(path);
      const known = this.#identities.has(path);
      if (known && this.#identities.get(path) === now) continue;
      // The roots' own are what the last run found there.
      if (!this.#paths.has(path)) this.#identities.set(path, now);
      if (!known) continue;
      this.#watches.distrustAll();
      this.#changes.note();
    }
    this.#looking = false;
  }

  #goBlind(error: Error): void {
    if (this.#blindTimer) return;
    this.#blindTimer = setInterval(() => this.#changes.note(), BLIND_EVERY_MS);
    this.#onBlind?.(error);
  }
}

/** Tells one file or folder from another that takes its place. */
async function identity(path: string): Promise<string | undefined> {
  try {
    const stats = await stat(path, { bigint: true });
    return `${stats.isDirectory() ? 'folder' : 'file'} ${stats.dev}:${stats.ino}`;
  } catch {
    return undefined;
  }
}
