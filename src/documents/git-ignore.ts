import { readFile, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** The matcher remembers each path that it saw; it is made anew after so many, so that memory stays flat. */
const PATHS_PER_MATCHER = 10_000;
/** Longest .gitignore that is read: a longer one is something else. */
const MAX_RULE_BYTES = 1024 * 1024;

const IGNORE_CASE = process.platform === 'win32' || process.platform === 'darwin';

/** The rules of one .gitignore. */
class RuleFile {
  #matcher: Ignore;
  #seen = 0;

  constructor(
    /** Absolute folder of the file. */
    readonly folder: string,
    readonly rules: string,
  ) {
    this.#matcher = this.#newMatcher();
  }

  /** @param path relative to the folder, with `/`, and ending in one for a directory */
  verdict(path: string): 'ignored' | 'kept' | undefined {
    if (++this.#seen % PATHS_PER_MATCHER === 0) this.#matcher = this.#newMatcher();
    const { ignored, unignored } = this.#matcher.test(path);
    return ignored ? 'ignored' : unignored ? 'kept' : undefined;
  }

  #newMatcher(): Ignore {
    return ignore({ ignorecase: IGNORE_CASE }).add(this.rules);
  }
}

/** All .gitignore files that hold in a directory, from the outermost to its own; immutable, shared by what is below. */
export class GitIgnore {
  static readonly none = new GitIgnore([]);

  private constructor(private readonly files: readonly RuleFile[]) {}

  /** These rules and those of the directory's own .gitignore, if it has one that can be read. */
  async enter(directory: string): Promise<GitIgnore> {
    const rules = await readRules(join(directory, '.gitignore'));
    return rules === undefined ? this : new GitIgnore([...this.files, new RuleFile(directory, rules)]);
  }

  /**
   * Whether the last rule that speaks about the path ignores it. A file in an ignored directory is not asked about:
   * what is ignored is not entered.
   * @param path absolute, below the folders that were entered
   */
  ignores(path: string, isDirectory: boolean): boolean {
    let ignored = false;
    for (const file of this.files) {
      const inside = path.slice(file.folder.endsWith(sep) ? file.folder.length : file.folder.length + 1);
      const posix = sep === '/' ? inside : inside.replaceAll(sep, '/');
      const verdict = file.verdict(isDirectory ? `${posix}/` : posix);
      if (verdict !== undefined) ignored = verdict === 'ignored';
    }
    return ignored;
  }
}

/**
 * Rules of the repository around a root, from its top folder down to the root's parent. None outside of a repository,
 * and none if they ignore the root itself: who names an ignored folder wants what is in it.
 */
export async function rulesAround(root: string): Promise<GitIgnore> {
  const above = await foldersUpToRepository(root);
  let rules = GitIgnore.none;
  for (const [i, folder] of above.entries()) {
    rules = await rules.enter(folder);
    if (rules.ignores(above[i + 1] ?? root, true)) return GitIgnore.none;
  }
  return rules;
}

/** Folders from the repository's top to the root's parent; none if the root is the top or in no repository. */
async function foldersUpToRepository(root: string): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = root; ; folder = dirname(folder)) {
    if (await isRepository(folder)) return folders;
    const parent = dirname(folder);
    if (parent === folder) return [];
    folders.unshift(parent);
  }
}

async function isRepository(folder: string): Promise<boolean> {
  try {
    // A worktree and a submodule have a file of that name instead of a folder.
    await stat(join(folder, '.git'));
    return true;
  } catch {
    return false;
  }
}

async function readRules(path: string): Promise<string | undefined> {
  try {
    const rules = await readFile(path);
    return rules.length > MAX_RULE_BYTES ? undefined : rules.toString('utf8');
  } catch {
    return undefined;
  }
}
