/** What an index folder holds, and whether the system still has it in memory. */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** @returns {Record<string, number>} bytes of each entry of the folder, those of folders summed up */
export function bytesByPart(folder) {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, bytesOf(path.join(folder, name))]));
}

function bytesOf(name) {
  return filesUnder(name).reduce((total, file) => total + statSync(file).size, 0);
}

function filesUnder(name) {
  if (!statSync(name).isDirectory()) return [name];
  return readdirSync(name).flatMap((entry) => filesUnder(path.join(name, entry)));
}

/**
 * Makes the system forget the cached pages of the folder's files; those of Node and the addon stay. With `everything`
 * the whole page cache goes, which slows down all that runs on the machine and needs root.
 * @returns {string | undefined} how it was done; undefined where it cannot be
 */
export function dropPageCache(folder, everything) {
  if (process.platform !== 'linux') return undefined;
  spawnSync('sync');
  if (everything) {
    try {
      writeFileSync('/proc/sys/vm/drop_caches', '3');
      return 'page cache dropped';
    } catch {
      return undefined;
    }
  }
  const done = filesUnder(folder).every(
    (file) => spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0']).status === 0,
  );
  return done ? "the index's pages dropped" : undefined;
}
