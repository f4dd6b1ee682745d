import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';

/**
 * Elsewhere the system watches whole trees. On Linux each folder is watched by itself, which reports all that happens
 * to its files: a watch a file, as recursive watchers set there, is a hundred times as many for the same news.
 */
const WHOLE_TREES = process.platform === 'darwin' || process.platform === 'win32';

export interface FolderWatchesOptions {
  /** Called for every piece of news; many may come at once. */
  onChange: () => void;
  /** The system has no watch left to give, or cannot watch here: whoever relies on news must look by himself. */
  onBlind: (error: Error) => void;
  /** Whether names that begin with a dot are news. */
  hidden: boolean;
}

/** A watch on one folder, and whether what it watched may be somewhere else by now. */
interface Watch {
  watcher: FSWatcher;
  stale: boolean;
}

/**
 * Watches on the folders of a walk. They only say that something happened: what it was, the next walk finds out. So
 * nothing is lost that happens between two pieces of news, and a folder is watched before it is read.
 */
export class FolderWatches {
  readonly #options: FolderWatchesOptions;
  readonly #watches = new Map<string, Watch>();
  /** Watches on single names in folders: roots that are files, and where folders may come back to. */
  readonly #named = new Map<string, Watch & { names: Set<string> }>();
  /** Folders of the walk under way, and those of them that were watched anew. */
  #round = new Set<string>();
  #renewed = new Set<string>();

  constructor(options: FolderWatchesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#watches.size;
  }

  /** Call for each folder of a walk, the outer ones first. */
  folder(path: string): void {
    const parent = dirname(path);
    this.#round.add(path);
    if (WHOLE_TREES && this.#round.has(parent)) return;
    const known = this.#watches.get(path);
    if (known && !known.stale && !this.#renewed.has(parent)) return;
    known?.watcher.close();
    this.#watches.delete(path);
    this.#renewed.add(path);
    const watcher = this.#open(path, WHOLE_TREES, (event, name) => this.#news(path, event, name));
    if (watcher) this.#watches.set(path, { watcher, stale: false });
  }

  /** Watches a name in its folder, where the folder is there. */
  name(path: string): void {
    const folder = dirname(path);
    const known = this.#named.get(folder);
    const names = (known?.names ?? new Set()).add(basename(path));
    if (known && !known.stale) return;
    known?.watcher.close();
    this.#named.delete(folder);
    const watcher = this.#open(folder, false, (_, name) => {
      if (name === null || names.has(name)) this.#options.onChange();
    });
    if (watcher) this.#named.set(folder, { watcher, stale: false, names });
  }

  /** A folder around the watched ones is another now: the next walk watches all of them anew. */
  distrustAll(): void {
    for (const watch of this.#watches.values()) watch.stale = true;
    for (const watch of this.#named.values()) watch.stale = true;
  }

  /** @param whole the walk came to its end: folders that it did not come by are let go */
  endRound(whole: boolean): void {
    if (whole) {
      for (const [path, { watcher }] of this.#watches) {
        if (this.#round.has(path)) continue;
        watcher.close();
        this.#watches.delete(path);
      }
    }
    this.#round = new Set();
    this.#renewed = new Set();
  }

  close(): void {
    for (const { watcher } of this.#watches.values()) watcher.close();
    for (const { watcher } of this.#named.values()) watcher.close();
    this.#watches.clear();
    this.#named.clear();
  }

  #news(folder: string, event: string, name: string | null): void {
    if (name !== null) {
      if (!this.#options.hidden && isHidden(name)) return;
      if (event === 'rename') {
        // The name of a folder in it, or the folder's own.
        this.#distrust(join(folder, name));
        if (name === basename(folder)) this.#distrust(folder);
      }
    }
    this.#options.onChange();
  }

  #distrust(path: string): void {
    const known = this.#watches.get(path);
    if (known) known.stale = true;
  }

  #open(
    path: string,
    recursive: boolean,
    news: (event: string, name: string | null) => void,
  ): FSWatcher | undefined {
    try {
      const watcher = watch(path, { recursive }, news);
      watcher.on('error', () => {
        this.distrustAll();
        this.#options.onChange();
      });
      return watcher;
    } catch (error) {
      // What is gone already is news of the folder around it.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.#options.onBlind(error as Error);
      return undefined;
    }
  }
}

/** Rules are read from `.gitignore`, so a change of them is one. */
function isHidden(name: string): boolean {
  return name.split(sep).some((part) => part.startsWith('.') && part !== '.gitignore');
}
