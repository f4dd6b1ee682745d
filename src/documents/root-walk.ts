import { constants, type Stats } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { type ErrorRecord, SluiceError, throwIfAborted } from '../errors.js';
import { type Child, childrenOf } from './directory-children.js';
import { notAFile, outsideRoot, tooLarge, unreadable } from './file-errors.js';
import type { FileFormat } from './formats.js';
import { GitIgnore, rulesAround } from './git-ignore.js';
import { Selection } from './selection.js';
import { sortedDirectory } from './sorted-directory.js';
import { DEFAULT_MAX_FILE_BYTES, type SkippedEntry, type WalkEntry, type WalkRoot } from './walk-entry.js';
import type { WalkOptions } from './walk-options.js';

/** The database of a Sluice index: its folder is no folder of documents. */
const INDEX_FILE = 'sluice.db';

type Entries = AsyncGenerator<WalkEntry, void, void>;

/** A directory that is being walked. */
interface Level {
  readonly path: string;
  readonly realPath: string;
  /** Relative to the root, with `/`; '' for the root. */
  readonly relative: string;
  readonly rules: GitIgnore;
  readonly children: AsyncGenerator<Child, void, void>;
}

/** The walk of one root: a stack of open directories instead of recursion, so that depth costs memory only. */
export class RootWalk {
  readonly #selection: Selection;
  readonly #useRules: boolean;
  readonly #maxFileBytes: number;
  readonly #levels: Level[] = [];
  /** Real paths of the directories entered through links. */
  readonly #linkedDirectories = new Set<string>();
  #realRoot = '';

  constructor(
    readonly root: WalkRoot,
    readonly options: WalkOptions,
  ) {
    this.#selection = new Selection(options);
    this.#useRules = options.gitignore ?? true;
    this.#maxFileBytes = options.maxFileBytes ?? DEFAULT_MAX_FILE_BYTES;
  }

  async *entries(): Entries {
    throwIfAborted(this.options.signal);
    const stats = await this.#openRoot();
    if (!stats.isDirectory() && !stats.isFile()) {
      yield this.#skipped('', notAFile(this.root.name));
      return;
    }
    if (!stats.isDirectory()) {
      // A file that the caller names is wanted whatever its name is.
      const format = this.#selection.namedFormat(basename(this.root.path)) ?? { format: 'text' as const };
      yield await this.#fileEntry(this.root.path, this.root.name, stats, format);
      return;
    }
    const rules = this.#useRules ? await rulesAround(this.#realRoot) : GitIgnore.none;
    yield* this.#enter(this.#realRoot, '', rules);
    while (this.#levels.length > 0) {
      throwIfAborted(this.options.signal);
      const level = this.#levels.at(-1)!;
      const next = await level.children.next();
      if (next.done) this.#levels.pop();
      else yield* this.#visit(level, next.value);
    }
  }

  async #openRoot(): Promise<Stats> {
    try {
      this.#realRoot = await realpath(this.root.path);
      return await stat(this.#realRoot);
    } catch (cause) {
      throw new SluiceError(
        'SLUICE_NOT_FOUND',
        `cannot open ${this.root.path}: ${(cause as Error).message}`,
        {
          hint: 'check the path',
          cause,
          details: { path: this.root.path },
        },
      );
    }
  }

  async *#visit(level: Level, child: Child): Entries {
    const { name } = child;
    const relative = level.relative === '' ? name : `${level.relative}/${name}`;
    if (this.root.elsewhere?.has(relative)) return;
    if (!this.#selection.allows(name, relative)) return;
    if (level.rules.ignores(this.#ruled(relative), child.isDirectory)) return;
    if (child.isLink) yield* this.#follow(level, relative, name);
    else if (child.isDirectory) yield* this.#enter(join(level.realPath, name), relative, level.rules);
    else yield* this.#file(relative, name, child.stats);
  }

  async *#enter(realPath: string, relative: string, rules: GitIgnore): Entries {
    const path = join(this.root.path, relative);
    try {
      await this.#announce(path, relative);
      const entries = await sortedDirectory(path, this.options.signal);
      // An index holds what documents say already, and the one that is being written would never come to rest.
      if (relative !== '' && entries.some(({ name }) => name === INDEX_FILE)) return;
      const own = this.#useRules && hasRules(entries) ? await rules.enter(this.#ruled(relative)) : rules;
      this.#levels.push({ path, realPath, relative, rules: own, children: childrenOf(path, entries) });
    } catch (error) {
      throwIfAborted(this.options.signal);
      yield this.#skipped(relative, unreadable(this.#source(relative), error));
    }
  }

  async #announce(path: string, relative: string): Promise<void> {
    if (!this.options.onFolder) return;
    // An index in a folder is not walked, and whoever watched it would see every commit.
    if (relative !== '' && (await exists(join(path, INDEX_FILE)))) return;
    this.options.onFolder({ path, source: this.#source(relative) });
  }

  async *#follow(level: Level, relative: string, name: string): Entries {
    let target: string;
    let stats: Stats;
    try {
      target = await realpath(join(level.path, name));
      stats = await stat(target);
    } catch (error) {
      yield this.#skipped(relative, unreadable(this.#source(relative), error));
      return;
    }
    if (!isInside(target, this.#realRoot)) {
      if (stats.isDirectory() || this.#selection.formatOf(name, relative)) {
        yield this.#skipped(relative, outsideRoot(this.#source(relative), target));
      }
    } else if (!stats.isDirectory()) yield* this.#file(relative, name, stats);
    else if (!level.rules.ignores(this.#ruled(relative), true) && !this.#isCycle(target)) {
      this.#linkedDirectories.add(target);
      yield* this.#enter(target, relative, level.rules);
    }
  }

  /** A linked directory is walked once, and never from inside itself. */
  #isCycle(target: string): boolean {
    if (this.#linkedDirectories.has(target)) return true;
    return this.#levels.some((level) => isInside(level.realPath, target));
  }

  async *#file(relative: string, name: string, stats: Stats | Error | undefined): Entries {
    const format = this.#selection.formatOf(name, relative);
    const source = this.#source(relative);
    if (!format) this.options.onIgnored?.(source);
    else if (stats instanceof Error) yield this.#skipped(relative, unreadable(source, stats));
    // What is no regular file is a socket, pipe or device: reading one might never end.
    else if (stats?.isFile())
      yield await this.#fileEntry(join(this.root.path, relative), source, stats, format);
  }

  async #fileEntry(path: string, source: string, stats: Stats, format: FileFormat): Promise<WalkEntry> {
    if (format.format !== 'jsonl' && stats.size > this.#maxFileBytes) {
      return { kind: 'skipped', source, error: tooLarge(source, stats.size, this.#maxFileBytes) };
    }
    // Only where the mode leaves a doubt: one more call a file would cost as much as all the rest.
    if ((stats.mode & 0o444) !== 0o444) {
      try {
        await access(path, constants.R_OK);
      } catch (error) {
        return { kind: 'skipped', source, error: unreadable(source, error) };
      }
    }
    // A file that is moved over another one brings its own time of writing along, which may be that of the other.
    const mtimeMs = Math.trunc(Math.max(stats.mtimeMs, stats.ctimeMs));
    return { kind: 'file', path, source, size: stats.size, mtimeMs, ...format };
  }

  /** Where a path stands for the rules: below the real root, though links may lead elsewhere. */
  #ruled(relative: string): string {
    return join(this.#realRoot, relative);
  }

  #source(relative: string): string {
    const { nested } = this.root;
    for (let end = nested ? relative.length : 0; end > 0; end = relative.lastIndexOf('/', end - 1)) {
      const name = nested!.get(relative.slice(0, end));
      if (name !== undefined) return name + relative.slice(end);
    }
    return relative === '' ? this.root.name : `${this.root.name}/${relative}`;
  }

  #skipped(relative: string, error: ErrorRecord): SkippedEntry {
    return { kind: 'skipped', source: this.#source(relative), error };
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Whether a sorted directory has a .gitignore: names that begin with a dot come early. */
function hasRules(entries: readonly { name: string }[]): boolean {
  return entries.find(({ name }) => name >= '.gitignore')?.name === '.gitignore';
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
