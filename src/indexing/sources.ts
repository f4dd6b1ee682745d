import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { WalkOptions, WalkRoot } from '../documents/index.js';
import { walkFolders } from '../documents/index.js';
import { SluiceError } from '../errors.js';
import type { StoreWriter } from '../model/store.js';
import type { GivenDocuments } from './given-documents.js';
import type { Census } from './report.js';

/** What can be added: a path to a file or folder, a document that the caller has in hand, or a stream of documents. */
export type AddSource = string | GivenDocuments;

export interface ResolvedSources {
  /** Files and folders, each under its stable name in this index. */
  roots: WalkRoot[];
  /** Folders among the roots, as `<name>/`: what vanished below them is removed from the index. */
  folderPrefixes: { prefix: string; path: string }[];
  given: GivenDocuments[];
  /** Names of roots that an earlier run indexed and that are not there any more. */
  vanished: string[];
}

/**
 * Tells paths from documents and gives every root its name.
 * @throws SLUICE_NOT_FOUND for a path that does not exist, unless an earlier run indexed it: then it vanished
 */
export async function resolveSources(sources: AddSource[], writer: StoreWriter): Promise<ResolvedSources> {
  const resolved: ResolvedSources = { roots: [], folderPrefixes: [], given: [], vanished: [] };
  for (const source of sources) {
    if (typeof source !== 'string') {
      resolved.given.push(source);
      continue;
    }
    if (source.trim() === '') {
      throw new SluiceError('SLUICE_USAGE', 'cannot index an empty path', {
        hint: "'.' is the current folder",
      });
    }
    const path = resolve(source);
    const name = (await writer.rootName(path)) || basename(path);
    const found = await stat(path).catch((cause: unknown) => cause as Error);
    if (found instanceof Error) {
      if (!(await isKnown(name, writer))) throw notFound(source, path, found);
      resolved.vanished.push(name);
      continue;
    }
    resolved.roots.push({ path, name });
    if (found.isDirectory()) resolved.folderPrefixes.push({ prefix: `${name}/`, path });
  }
  return resolved;
}

/** Whether an earlier run indexed this root: then a path that is not there any more is no slip of the finger. */
async function isKnown(name: string, writer: StoreWriter): Promise<boolean> {
  if ((await writer.sourceStates([name])).size > 0) return true;
  return (await writer.sourcesUnder(`${name}/`)).length > 0;
}

function notFound(source: string, path: string, cause: Error): SluiceError {
  return new SluiceError('SLUICE_NOT_FOUND', `cannot index ${source}: there is no such file or folder`, {
    hint: 'check the path; relative paths start at the current folder',
    cause,
    details: { path },
  });
}

/** Walks ahead of the pipeline and adds up sizes, so that progress can tell how much is left. Never throws. */
export async function takeCensus(roots: WalkRoot[], options: WalkOptions, census: Census): Promise<void> {
  try {
    for await (const entry of walkFolders(roots, options)) {
      if (entry.kind === 'file') census.bytes += entry.size;
    }
    census.complete = true;
  } catch {
    // The pipeline walks the same folders and reports what is wrong with them.
  }
}
