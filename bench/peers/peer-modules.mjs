/** Where the peers come from: the versions pinned here, or the root's development dependencies. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const PINNED = path.join(import.meta.dirname, 'node_modules');
const ROOT = path.join(import.meta.dirname, '../../node_modules');

export const peersArePinned = existsSync(PINNED);
const folder = peersArePinned ? PINNED : ROOT;
const require = createRequire(path.join(folder, '../package.json'));

/** A peer by its package name. */
export function requirePeer(name) {
  return require(name);
}

/** The version that would run; undefined where the package is missing. */
export function peerVersion(name) {
  const file = path.join(folder, name, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
}
