import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { WalkOptions, WalkRoot } from '../documents/index.js';
import { walkFolders } from '../documents/index.js';
import { SluiceError } from '../errors.js';
import type { Root, StoreWriter } from '../model/store.js';
import type { GivenDocuments } from './given-documents.js';
import type { Census } from './report.js';
import { WalkPlan } from './walk-plan.js';

/** What can be added: a path to a file or folder, a document that the caller has in hand, or a stream of documents. */
export type AddSource = string | GivenDocuments;

export interface ResolvedSources {
  /** What is walked: files and folders, each under its stable name in this index. */
  roots: WalkRoot[];
  /** The folders among them: what vanished below is removed from the index. */
  folders: Root[];
  /** The files among them: what a folder of that name once held is removed. */
  files: Root[];
  /** Older roots, files and folders, inside those folders, by their names. */
  nested: ReadonlyMap<string, Root>;
  given: GivenDocuments[];
  /** Names of roots, or of places in them, that an earlier run indexed and that are not there any more. */
  vanished: string[];
}

/**
 * Tells paths from documents and gives every path its name: a file belongs to the innermost root that covers it.
 * @throws SLUICE_NOT_FOUND for a path that does not exist, unless an earlier run indexed it: then it vanished
 */
export async function resolveSources(sources: AddSource[], writer: StoreWriter): Promise<ResolvedSources> {
  const given: GivenDocuments[] = [];
  const vanished: string[] = [];
  const plan = new WalkPlan();
  for (const source of sources) {
    if (typeof source !== 'string') {
      given.push(source);
      continue;
    }
    if (source.trim() === '') {
      throw emptyPath();
    }
    const place = await locate(resolve(source));
    const known = (await writer.knownName(place.path)) ?? (await nameAsWritten(source, writer));
    if (place.kind === 'missing') {
      const names = await namesAt(known, place.path, writer);
      if (names.length === 0) throw notFound(source, place);
      vanished.push(...names);
    } else {
      plan.add({ path: place.path, name: known ?? (await writer.rootName(place.path)) }, place.kind);
    }
  }
  return { ...(await plan.resolve(writer)), given, vanished };
}

/**
 * For an index that is still to be made: where no earlier run can have indexed what is missing now.
 * @throws SLUICE_NOT_FOUND, SLUICE_USAGE
 */
export async function requirePaths(paths: readonly string[]): Promise<void> {
  for (const path of paths) await locatePresent(path);
}

/**
 * Roots of a walk that no index remembers: each has the name of its folder or file, and a second one of that name a
 * number behind it.
 * @throws SLUICE_NOT_FOUND, SLUICE_USAGE
 */
export async function rootsOf(paths: readonly string[]): Promise<WalkRoot[]> {
  const plan = new WalkPlan();
  const nameByPath = new Map<string, string>();
  const taken = new Set<string>();
  for (const path of paths) {
    const place = await locatePresent(path);
    const base = basename(place.path) || 'root';
    let name = nameByPath.get(place.path) ?? base;
    for (let n = 2; !nameByPath.has(place.path) && taken.has(name); n++) name = `${base}-${n}`;
    nameByPath.set(place.path, name);
    taken.add(name);
    plan.add({ path: place.path, name }, place.kind);
  }
  return plan.roots();
}

async function locatePresent(path: string): Promise<PresentPlace> {
  if (path.trim() === '') throw emptyPath();
  const place = await locate(resolve(path));
  if (place.kind === 'missing') throw notFound(path, place);
  return place;
}

function emptyPath(): SluiceError {
  return new SluiceError('SLUICE_USAGE', 'cannot index an empty path', { hint: "'.' is the current folder" });
}

type PresentPlace = { path: string; kind: 'file' | 'folder' };
type Place = PresentPlace | { path: string; kind: 'missing'; cause: Error };

/**
 * Where a path is, whatever links, dots and slashes it is written with. A file that is itself a link keeps its own name:
 * its extension says how it is read.
 */
async function locate(path: string): Promise<Place> {
  const found = await stat(path).catch((cause: unknown) => cause as Error);
  if (found instanceof Error) return { path: await throughLinks(path), kind: 'missing', cause: found };
  if (found.isDirectory()) return { path: await realpath(path), kind: 'folder' };
  return { path: join(await realpath(dirname(path)), basename(path)), kind: 'file' };
}

/** The path with the links resolved in that part of it which is there. */
async function throughLinks(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path) return path;
  try {
    return join(await realpath(parent), basename(path));
  } catch {
    return join(await throughLinks(parent), basename(path));
  }
}

/** Of a root that was registered by a path with links in it, before paths were resolved. */
async function nameAsWritten(path: string, writer: StoreWriter): Promise<string | undefined> {
  const name = await writer.knownName(path);
  return name?.includes('/') ? undefined : name;
}

/** Names under which an earlier run indexed something at this path; none: it is a slip of the finger. */
async function namesAt(known: string | undefined, path: string, writer: StoreWriter): Promise<string[]> {
  const inside = (await writer.rootsInside(path)).map(({ name }) => name);
  const indexed: string[] = [];
  for (const name of known === undefined ? inside : [known, ...inside]) {
    const hasState = (await writer.sourceStates([name])).size > 0;
    if (hasState || (await writer.sourcesUnder(`${name}/`, { limit: 1 })).length > 0) indexed.push(name);
  }
  return indexed;
}

function notFound(source: string, { path, cause }: { path: string; cause: Error }): SluiceError {
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
