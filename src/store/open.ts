import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SluiceError } from '../errors.js';
import type { Passport } from '../model/passport.js';
import type { Store } from '../model/store.js';
import { addon } from '../native/addon.js';
import { workerUrl } from '../threads/worker-url.js';
import { FORMAT_VERSION } from './format.js';
import { type IndexLayout, indexLayout } from './layout.js';
import { LocalStore, type StoreIdentity } from './local-store.js';
import { writerLock } from './lock.js';
import { resolveOptions, type StoreOptions } from './options.js';
import { comparePassports } from './passport.js';
import { WorkerThread } from './threads.js';

type OpenTasks = typeof import('./open-thread.js');

/**
 * Opens the index in a folder, or makes one where the folder is missing or empty.
 * @throws SLUICE_PASSPORT_MISMATCH where the index was made with other settings than the passport says
 * @throws SLUICE_NOT_AN_INDEX, SLUICE_INDEX_VERSION, SLUICE_INDEX_CORRUPT, SLUICE_INDEX_LOCKED
 */
export async function createOrOpenStore(
  folder: string,
  { passport, ...options }: StoreOptions & { passport: Passport },
): Promise<Store> {
  const resolved = resolveOptions(options);
  if (resolved.readonly)
    throw new SluiceError('SLUICE_USAGE', 'a read-only store cannot be made; use openStore');
  if (passport.formatVersion !== FORMAT_VERSION) {
    throw new SluiceError('SLUICE_USAGE', `a passport must say format version ${FORMAT_VERSION}`, {
      details: { expected: FORMAT_VERSION, actual: passport.formatVersion },
    });
  }
  const layout = indexLayout(resolve(folder));
  const stored = await withOpener(layout, async (opener) => {
    const found = await opener.call('inspect', layout.folder);
    return found.state === 'index' ? found : create(opener, layout, passport);
  });
  comparePassports(stored.passport, passport);
  return new LocalStore(layout, stored, resolved);
}

/**
 * Opens an index that exists, whatever it was made with.
 * @throws SLUICE_NOT_FOUND, SLUICE_NOT_AN_INDEX, SLUICE_INDEX_VERSION, SLUICE_INDEX_CORRUPT
 */
export async function openStore(folder: string, options: StoreOptions = {}): Promise<Store> {
  const resolved = resolveOptions(options);
  const layout = indexLayout(resolve(folder));
  return new LocalStore(layout, await inspectStore(layout.folder), resolved);
}

/**
 * What an index says about itself.
 * @param folder absolute
 * @throws SLUICE_NOT_FOUND, SLUICE_NOT_AN_INDEX, SLUICE_INDEX_VERSION, SLUICE_INDEX_CORRUPT
 */
export async function inspectStore(folder: string): Promise<StoreIdentity> {
  const layout = indexLayout(folder);
  const found = await withOpener(layout, (opener) => opener.call('inspect', folder));
  if (found.state === 'index') return found;
  throw noIndex(layout, found.state === 'missing' ? 'does not exist' : 'is empty');
}

function noIndex(layout: IndexLayout, problem: string): SluiceError {
  return new SluiceError('SLUICE_NOT_FOUND', `the index folder ${layout.folder} ${problem}`, {
    hint: 'check the path, or index some documents into it first',
    details: { folder: layout.folder },
  });
}

/**
 * Brings an index of an older format up to the present one, in one step that happens wholly or not at all. Does nothing
 * to an index that is up to date.
 * @throws SLUICE_NOT_AN_INDEX, SLUICE_INDEX_VERSION for one that is too old or too new, SLUICE_INDEX_LOCKED
 */
export async function migrateStore(folder: string): Promise<{ from: number; to: number }> {
  const layout = indexLayout(resolve(folder));
  if (!existsSync(layout.database)) throw noIndex(layout, 'holds no index');
  addon();
  const lock = writerLock(layout);
  try {
    return await withOpener(layout, (opener) => opener.call('migrate', layout.folder));
  } finally {
    lock.release();
  }
}

async function withOpener<T>(
  { folder }: IndexLayout,
  use: (opener: WorkerThread<OpenTasks>) => Promise<T>,
): Promise<T> {
  // First loads of an addon in several threads at once have crashed processes: the caller's thread goes first.
  addon();
  const url = workerUrl(import.meta.url, './open-thread.js');
  const opener = new WorkerThread<OpenTasks>(url, 1, `opening the index ${folder}`);
  try {
    return await use(opener);
  } finally {
    await opener.close();
  }
}

async function create(
  opener: WorkerThread<OpenTasks>,
  layout: IndexLayout,
  passport: Passport,
): Promise<StoreIdentity> {
  await opener.call('makeIndexFolder', layout.folder);
  const lock = writerLock(layout);
  try {
    const made = await opener.call('create', { folder: layout.folder, passport });
    if (made.state !== 'index') throw new SluiceError('SLUICE_INTERNAL', 'the index was not made');
    return made;
  } finally {
    lock.release();
  }
}
