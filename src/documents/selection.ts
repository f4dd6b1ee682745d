import picomatch from 'picomatch';
import { SluiceError } from '../errors.js';
import { extensionOf } from './clean.js';
import { type FileFormat, formatOf } from './formats.js';
import type { DocumentReader } from './reader.js';

export interface SelectionOptions {
  /** Globs on the path relative to the root; a file must match one. Default: all files of a known format. */
  include?: readonly string[];
  /** Globs on the path relative to the root; what matches is left out, folders with all that is in them. */
  exclude?: readonly string[];
  /** Walk files and folders whose name begins with a dot; default false. `.git` never. */
  hidden?: boolean;
  /** Readers of the caller: files with their extensions are candidates, in the reader's format. */
  readers?: ReadonlyArray<Pick<DocumentReader, 'extensions' | 'format'>>;
}

/**
 * Which files and folders of a root are wanted, by their paths alone. Globs match the whole relative path: `*.md` is
 * the top level, `**` + `/*.md` is every level.
 */
export class Selection {
  readonly #included: ((path: string) => boolean) | undefined;
  readonly #named: ((path: string) => boolean) | undefined;
  readonly #excluded: ((path: string) => boolean) | undefined;
  readonly #hidden: boolean;
  readonly #formatByExtension = new Map<string, FileFormat>();

  constructor(options: SelectionOptions) {
    const dot = options.hidden ?? false;
    this.#hidden = dot;
    this.#included = matcher(options.include, dot);
    this.#named = matcher(options.include?.filter(namesFiles), dot);
    // What is excluded stays so whether or not it begins with a dot.
    this.#excluded = matcher(options.exclude, true);
    for (const reader of options.readers ?? []) {
      for (const extension of reader.extensions) {
        this.#formatByExtension.set(extension.replace(/^\./, '').toLowerCase(), { format: reader.format });
      }
    }
  }

  /** Whether a path can be wanted at all; false prunes a folder. */
  allows(name: string, path: string): boolean {
    if (name === '.git' || (!this.#hidden && name.startsWith('.'))) return false;
    return !this.#excluded?.(path);
  }

  /** The format to read a file in, or undefined if it is no candidate. */
  formatOf(name: string, path: string): FileFormat | undefined {
    if (this.#included && !this.#included(path)) return undefined;
    return this.namedFormat(name) ?? (this.#named?.(path) ? { format: 'text' } : undefined);
  }

  /** The format by the name alone. */
  namedFormat(name: string): FileFormat | undefined {
    return this.#formatByExtension.get(extensionOf(name)) ?? formatOf(name);
  }
}

function matcher(
  globs: readonly string[] | undefined,
  dot: boolean,
): ((path: string) => boolean) | undefined {
  if (!globs || globs.length === 0) return undefined;
  try {
    return picomatch([...globs], { dot });
  } catch (cause) {
    throw new SluiceError(
      'SLUICE_USAGE',
      `cannot use the globs ${JSON.stringify(globs)}: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  }
}

/** Whether a glob says something about names: `**` + `/*.conf` and `LICENSE` do, `docs/**` says where only. */
function namesFiles(glob: string): boolean {
  return /[\p{L}\p{N}]/u.test(glob.slice(glob.lastIndexOf('/') + 1));
}
