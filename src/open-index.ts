import { readdir, stat } from 'node:fs/promises';
import { SluiceError } from './errors.js';
import { type PreparePool, startPreparePool } from './indexing/index.js';
import { LiveIndex } from './live-index.js';
import type { ChunkOptions } from './model/chunker.js';
import type { Passport } from './model/passport.js';
import type { Store } from './model/store.js';
import { ModelsInUse } from './models-in-use.js';
import { addon } from './native/addon.js';
import { checkOpenOptions, type OpenIndexOptions, storeOptions } from './open-options.js';
import { SluiceIndex } from './sluice-index.js';
import {
  comparePassports,
  createOrOpenStore,
  FORMAT_VERSION,
  LEFT_BY_CREATION,
  openStore,
  pathTrouble,
} from './store/index.js';

/**
 * Opens the index in a folder, or makes one where the folder is missing or empty.
 *
 *     const index = await openIndex('./my.index');
 *     await index.add('docs/');
 *     const { hits } = await index.search('how long are webhooks retried?');
 *     await index.close();
 *
 * @throws SLUICE_NOT_FOUND with `create: false` or `readonly` and no index there; SLUICE_NOT_AN_INDEX;
 *   SLUICE_INDEX_VERSION; SLUICE_INDEX_CORRUPT; SLUICE_PASSPORT_MISMATCH for another model or chunking than the
 *   index's; SLUICE_MODEL_INVALID; SLUICE_MODULE_INVALID; SLUICE_USAGE for an unknown option
 */
export async function openIndex(folder: string, options: OpenIndexOptions = {}): Promise<SluiceIndex> {
  checkOpenOptions(folder, options);
  addon();
  const mayCreate = options.readonly !== true && options.create !== false;
  if (mayCreate && (await isVacant(folder))) return createIndex(folder, options);
  const store = await openExisting(folder, options, mayCreate);
  const models = new ModelsInUse(options, store.passport);
  try {
    await models.requireReranker();
    const prepare = await refuseOtherSettings(store, models, options);
    return new SluiceIndex(new LiveIndex(folder, { store, models, options, prepare }));
  } catch (error) {
    await models.close();
    await store.close();
    throw error;
  }
}

async function openExisting(folder: string, options: OpenIndexOptions, mayCreate: boolean): Promise<Store> {
  try {
    return await openStore(folder, storeOptions(options));
  } catch (error) {
    if (!mayCreate || !SluiceError.is(error) || error.code !== 'SLUICE_NOT_AN_INDEX') throw error;
    throw new SluiceError(error.code, error.message, {
      hint: 'a new index needs a folder that is new or empty',
      cause: error,
      details: error.details,
    });
  }
}

async function createIndex(folder: string, options: OpenIndexOptions): Promise<SluiceIndex> {
  const models = new ModelsInUse(options, undefined);
  const chunking = options.chunking ?? {};
  let prepare: PreparePool | undefined;
  try {
    await models.requireReranker();
    // The embedder first: with a wrong model nothing is made, and no thread is started for nothing.
    const embedder = await models.embedder('bulk');
    prepare = startPreparePool(await models.prepareSetup(chunking));
    const passport: Passport = {
      formatVersion: FORMAT_VERSION,
      embedder: embedder.fingerprint,
      ...(await prepare.fingerprints()),
      reference: await models.reference(),
      settings: {
        model: models.recordedModel,
        chunking,
        ...(options.context && 'extractive' in options.context && { context: options.context }),
      },
    };
    const store = await createOrOpenStore(folder, { ...storeOptions(options), passport });
    return new SluiceIndex(new LiveIndex(folder, { store, models, options, prepare }));
  } catch (error) {
    await prepare?.close();
    await models.close();
    throw error;
  }
}

/**
 * A model or chunking that the caller names must be the index's own; what is not named is taken from the index.
 * @returns the pool that was started to find out, which cuts as the index does: adding needs it next
 */
async function refuseOtherSettings(
  store: Store,
  models: ModelsInUse,
  options: OpenIndexOptions,
): Promise<PreparePool | undefined> {
  if (options.model !== undefined) await models.embedder();
  const { chunking = {}, chunker, readers, context } = options;
  const isTold =
    Object.keys(chunking).length > 0 || [chunker, readers, context].some((value) => value !== undefined);
  if (!isTold) return undefined;
  // What is not named is the index's: only modules cannot be taken from it, because opening must not run code by itself.
  const stored = store.passport.settings?.chunking;
  return checkChunking(store, models, Object.keys(chunking).length === 0 ? (stored ?? {}) : chunking);
}

/** @throws SLUICE_PASSPORT_MISMATCH if these options cut otherwise than the index's chunks were cut */
async function checkChunking(
  store: Store,
  models: ModelsInUse,
  chunking: ChunkOptions,
): Promise<PreparePool> {
  const prepare = startPreparePool(await models.prepareSetup(chunking));
  try {
    comparePassports(store.passport, { ...store.passport, ...(await prepare.fingerprints()) });
    return prepare;
  } catch (error) {
    await prepare.close();
    throw error;
  }
}

async function isVacant(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).every((name) => LEFT_BY_CREATION.test(name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    if (code === 'ENOTDIR' && (await isThere(folder))) {
      throw new SluiceError('SLUICE_NOT_AN_INDEX', `${folder} is a file, not a folder with an index`, {
        hint: 'name another folder',
        cause: error,
        details: { folder },
      });
    }
    throw pathTrouble(error, 'open the index', folder);
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
