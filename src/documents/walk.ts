import { RootWalk } from './root-walk.js';
import type { WalkEntry, WalkRoot } from './walk-entry.js';
import type { WalkOptions } from './walk-options.js';

/**
 * Streams the files under the roots, root by root, each directory in the order of its names (by UTF-16 units). Memory
 * holds the names of the directories on the way down, whatever the number of files. A folder that the caller names is
 * always walked, even if an outer .gitignore leaves it out. Symbolic links are followed while they stay in the root.
 * @throws SLUICE_NOT_FOUND for a missing root, SLUICE_USAGE for a glob that is none, SLUICE_ABORTED; all other trouble is an entry of kind 'skipped'
 */
export async function* walkFolders(
  roots: readonly WalkRoot[],
  options: WalkOptions = {},
): AsyncGenerator<WalkEntry, void, void> {
  for (const root of roots) yield* new RootWalk(root, options).entries();
}
