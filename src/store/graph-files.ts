import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { SluiceError } from '../errors.js';
import { addon } from '../native/addon.js';
import type { NativeGraph, NativeGraphSnapshot, NativePrecision } from '../native/contract.js';
import { syncFolder } from './durable-folder.js';

/**
 * Graph snapshots on disk. An int8 one is a single file, `<generation>.graph`, that says all about itself. A float32 one
 * is `<generation>.hnsw`, which is hnswlib's format and says little, and `<generation>.json` that is written after it: a
 * graph without its description does not exist. Opening and describing blocks: for worker threads.
 */
const MAGIC = 'sluice-graph';
/** Of the description of a float32 graph. Version 1 had no checksum of its own. */
const VERSION = 2;
const UNCHECKED_VERSION = 1;
export const GRAPH_METRIC = 'cosine';

/** Which vectors a graph holds. */
export interface GraphState {
  /** The index that it belongs to, and the mark that its database gave out for it. */
  index: string;
  /** The graph holds the vectors that lived at this generation, up to this label, and some that had died. */
  generation: number;
  maxLabel: number;
}

export interface GraphDescription extends GraphState {
  /** Name inside the graph folder. */
  file: string;
  precision: NativePrecision;
  count: number;
  dims: number;
  /** Links a node (M), and candidates while it was built (efConstruction). */
  links: number;
  effort: number;
  /** Of a float32 file, from its description. */
  written: { bytes: number; crc32: number } | undefined;
}

const READ_BYTES = 4 * 1024 * 1024;
const ENDINGS = { int8: 'graph', float32: 'hnsw' } as const;

/** Generations that have a graph, newest first. */
export function graphGenerations(folder: string): number[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  const generations = names.flatMap((name) => /^(\d+)\.(?:graph|json)$/.exec(name)?.[1] ?? []).map(Number);
  return [...new Set(generations)].sort((a, b) => b - a);
}

/**
 * @param owners what it may say that it is of
 * @throws SLUICE_INDEX_CORRUPT where it is damaged, of another version, another index's, or of another copy of this one
 */
export function describeGraph(
  folder: string,
  generation: number,
  owners: readonly string[],
  dims: number,
): GraphDescription {
  const single = `${generation}.${ENDINGS.int8}`;
  const isSingle = statSync(join(folder, single), { throwIfNoEntry: false }) !== undefined;
  const file = isSingle ? single : `${generation}.${ENDINGS.float32}`;
  const path = join(folder, file);
  const { state, written } = isSingle
    ? { state: parseState(path, header(path).note), written: undefined }
    : describeFloat32(join(folder, `${generation}.json`));
  const { index, maxLabel } = state;
  if (typeof index !== 'string' || !owners.includes(index)) {
    throw corrupt(path, 'it is of another index, or of another copy of this one', { owner: index });
  }
  const { precision, dims: found, metric, count, m, efConstruction } = header(path);
  expectEqual(
    path,
    { generation, dims, metric: GRAPH_METRIC },
    {
      ...state,
      dims: found,
      metric: metric ?? GRAPH_METRIC,
    },
  );
  if (typeof maxLabel !== 'number') throw corrupt(path, `maxLabel is ${JSON.stringify(maxLabel)}`);
  return {
    index,
    generation,
    maxLabel,
    file,
    precision,
    count,
    dims,
    links: m,
    effort: efConstruction,
    written,
  };
}

/**
 * Reads the whole file.
 * @throws SLUICE_INDEX_CORRUPT, with the path and the place, where its bytes are not those that were written
 */
export async function checkGraph(folder: string, description: GraphDescription): Promise<void> {
  await openGraph(folder, description, 1);
}

/** Checks the file and maps it. @throws SLUICE_INDEX_CORRUPT */
export async function openGraph(
  folder: string,
  description: GraphDescription,
  threads: number,
): Promise<NativeGraphSnapshot> {
  const path = checkWritten(folder, description);
  return addon()
    .GraphSnapshot.open(path, description.dims, GRAPH_METRIC, threads)
    .catch((error: Error) => Promise.reject(corrupt(path, error.message)));
}

/** Checks the file, then loads it into memory, to be extended. @throws SLUICE_INDEX_CORRUPT */
export async function loadGraph(
  folder: string,
  description: GraphDescription,
  threads: number,
): Promise<NativeGraph> {
  const path = checkWritten(folder, description);
  return addon()
    .VectorGraph.load(path, description.dims, GRAPH_METRIC, threads, folder)
    .catch((error: Error) => Promise.reject(corrupt(path, error.message)));
}

/** Durable when it resolves. Older snapshots stay. @returns the names of its files */
export async function saveGraph(
  folder: string,
  graph: NativeGraph,
  precision: NativePrecision,
  state: GraphState,
): Promise<string[]> {
  const name = `${state.generation}.${ENDINGS[precision]}`;
  const path = join(folder, name);
  const files = [name];
  // One of this generation, from before a compaction, must not describe another graph for a moment.
  removeDescriptions(folder, [`${state.generation}.json`]);
  await graph.save(path, JSON.stringify(state));
  if (precision === 'float32') {
    const { bytes, checksum } = checksumOf(path);
    const { size: count, dims } = graph;
    const metric = GRAPH_METRIC;
    const described = {
      magic: MAGIC,
      version: VERSION,
      ...state,
      count,
      dims,
      metric,
      bytes,
      crc32: checksum,
    };
    files.push(`${state.generation}.json`);
    writeDurably(folder, files[1]!, JSON.stringify({ ...described, check: checkOf(described) }));
  }
  return files;
}

/** Removes all snapshots but one: readers that map another keep its pages. */
export function removeOtherGraphs(folder: string, files: readonly string[]): void {
  removeGraphs(folder, (other) => !files.includes(other));
}

export function removeGraph(folder: string, generation: number): void {
  removeGraphs(folder, (name) => name.startsWith(`${generation}.`));
}

/**
 * Descriptions go first, for good: where a power cut brings back a graph that was removed, it is whole, or it is a file
 * that nobody takes for a graph.
 */
function removeGraphs(folder: string, remove: (name: string) => boolean): void {
  const names = readdirSync(folder).filter((name) => /^\d+\.(hnsw|json|graph)/.test(name) && remove(name));
  removeDescriptions(
    folder,
    names.filter((name) => name.endsWith('.json')),
  );
  for (const name of names) removeFile(join(folder, name));
}

/** Durable when it returns. */
function removeDescriptions(folder: string, names: readonly string[]): void {
  const removed = names.filter((name) => removeFile(join(folder, name)));
  if (removed.length > 0) syncFolder(folder);
}

/** @returns whether it was there and is gone */
function removeFile(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch (error) {
    // Windows keeps a file that a reader maps. It goes with the next publish.
    if (['ENOENT', 'EBUSY', 'EPERM', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return false;
    throw error;
  }
}

function header(path: string) {
  try {
    return addon().GraphSnapshot.describe(path);
  } catch (error) {
    throw corrupt(path, (error as Error).message);
  }
}

function parseState(path: string, text: string): Partial<GraphState> & { [field: string]: unknown } {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw corrupt(path, (error as Error).message);
  }
}

function describeFloat32(path: string) {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw corrupt(path, (error as Error).message);
  }
  const { check, ...state } = parseState(path, text);
  const isUnchecked = state.version === UNCHECKED_VERSION && check === undefined;
  expectEqual(path, { magic: MAGIC, version: isUnchecked ? UNCHECKED_VERSION : VERSION }, state);
  if (!isUnchecked && check !== checkOf(state)) throw corrupt(path, 'it is not what was written');
  return { state, written: { bytes: Number(state.bytes), crc32: Number(state.crc32) } };
}

/** Over a description, in the order of its fields. */
function checkOf(description: object): number {
  return crc32(JSON.stringify(description));
}

function expectEqual(path: string, wanted: Record<string, unknown>, found: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(wanted)) {
    const actual = found[field];
    if (actual !== value)
      throw corrupt(path, `${field} is ${JSON.stringify(actual)} instead of ${JSON.stringify(value)}`);
  }
}

/** Holds a float32 file against its description; an int8 one holds itself. */
function checkWritten(folder: string, { file, written }: GraphDescription): string {
  const path = join(folder, file);
  if (!written) return path;
  const { bytes, checksum } = checksumOf(path);
  if (bytes !== written.bytes) throw corrupt(path, `${bytes} bytes instead of ${written.bytes}`);
  if (checksum !== written.crc32) throw corrupt(path, `the checksum of its ${bytes} bytes does not fit`);
  return path;
}

function writeDurably(folder: string, name: string, text: string): void {
  const unfinished = join(folder, `${name}.unfinished`);
  const descriptor = openSync(unfinished, 'w');
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, join(folder, name));
  syncFolder(folder);
}

function checksumOf(file: string): { bytes: number; checksum: number } {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    throw corrupt(file, (error as Error).message);
  }
  try {
    const buffer = Buffer.alloc(Math.min(READ_BYTES, statSync(file).size + 1));
    let bytes = 0;
    let checksum = 0;
    for (;;) {
      const read = readSync(descriptor, buffer);
      if (read === 0) return { bytes, checksum };
      checksum = crc32(buffer.subarray(0, read), checksum);
      bytes += read;
    }
  } finally {
    closeSync(descriptor);
  }
}

function corrupt(file: string, reason: string, details: Record<string, unknown> = {}): SluiceError {
  return new SluiceError('SLUICE_INDEX_CORRUPT', `the graph file ${file} is damaged: ${reason}`, {
    hint: 'searches scan the vectors instead; the next publish writes a new one',
    details: { path: file, ...details },
  });
}
