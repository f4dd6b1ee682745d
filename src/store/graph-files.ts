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
import type { NativeGraph } from '../native/contract.js';

/**
 * Graph snapshots on disk: `<generation>.hnsw` and, written after it, `<generation>.json` that describes it. A graph
 * without its description does not exist. Everything here blocks: for worker threads.
 */
const MAGIC = 'sluice-graph';
const VERSION = 1;
export const GRAPH_METRIC = 'cosine';

export interface GraphDescription {
  magic: typeof MAGIC;
  version: number;
  /** The index that it belongs to. */
  index: string;
  /** The graph holds the vectors that lived at this generation, up to this label, and some that had died. */
  generation: number;
  maxLabel: number;
  count: number;
  dims: number;
  metric: string;
  bytes: number;
  crc32: number;
}

const CHUNK_BYTES = 4 * 1024 * 1024;

function graphFile(folder: string, generation: number): string {
  return join(folder, `${generation}.hnsw`);
}

function descriptionFile(folder: string, generation: number): string {
  return join(folder, `${generation}.json`);
}

/** Generations that have a description, newest first. */
export function graphGenerations(folder: string): number[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

/** @throws SLUICE_INDEX_CORRUPT where it is damaged, of another version, or another index's */
export function describeGraph(
  folder: string,
  generation: number,
  indexId: string,
  dims: number,
): GraphDescription {
  const file = descriptionFile(folder, generation);
  let found: Partial<GraphDescription>;
  try {
    found = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw corrupt(file, (error as Error).message);
  }
  const wanted = { magic: MAGIC, version: VERSION, index: indexId, generation, dims, metric: GRAPH_METRIC };
  for (const [field, value] of Object.entries(wanted)) {
    const actual = found[field as keyof GraphDescription];
    if (actual !== value)
      throw corrupt(file, `${field} is ${JSON.stringify(actual)} instead of ${JSON.stringify(value)}`);
  }
  return found as GraphDescription;
}

/** Reads the whole file. @throws SLUICE_INDEX_CORRUPT where its bytes are not those that were written */
export function checkGraph(folder: string, description: GraphDescription): void {
  const file = graphFile(folder, description.generation);
  const { bytes, checksum } = checksumOf(file);
  if (bytes !== description.bytes) throw corrupt(file, `${bytes} bytes instead of ${description.bytes}`);
  if (checksum !== description.crc32) throw corrupt(file, 'the checksum does not fit');
}

/** Checks the file, then loads it into memory. */
export async function loadGraph(folder: string, description: GraphDescription): Promise<NativeGraph> {
  checkGraph(folder, description);
  const file = graphFile(folder, description.generation);
  return addon().VectorGraph.load(file, description.dims, GRAPH_METRIC);
}

/** Durable when it resolves. Older snapshots are removed: readers hold theirs in memory. */
export async function saveGraph(
  folder: string,
  graph: NativeGraph,
  state: Pick<GraphDescription, 'index' | 'generation' | 'maxLabel'>,
): Promise<void> {
  const file = graphFile(folder, state.generation);
  await graph.save(file);
  const { bytes, checksum } = checksumOf(file);
  const { size: count, dims } = graph;
  const description: GraphDescription = {
    magic: MAGIC,
    version: VERSION,
    ...state,
    count,
    dims,
    metric: GRAPH_METRIC,
    bytes,
    crc32: checksum,
  };
  writeDurably(folder, descriptionFile(folder, state.generation), JSON.stringify(description));
  removeGraphs(folder, (generation) => generation !== state.generation);
}

export function removeGraph(folder: string, generation: number): void {
  removeGraphs(folder, (other) => other === generation);
}

function removeGraphs(folder: string, remove: (generation: number) => boolean): void {
  for (const name of readdirSync(folder)) {
    const generation = /^(\d+)\.(hnsw|json)/.exec(name)?.[1];
    if (generation !== undefined && remove(Number(generation))) rmSync(join(folder, name), { force: true });
  }
}

function writeDurably(folder: string, file: string, text: string): void {
  const unfinished = `${file}.unfinished`;
  const descriptor = openSync(unfinished, 'w');
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, file);
  syncFolder(folder);
}

/** Makes renames durable. Windows cannot open folders, and needs no such call. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function checksumOf(file: string): { bytes: number; checksum: number } {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    throw corrupt(file, (error as Error).message);
  }
  try {
    const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, statSync(file).size + 1));
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

function corrupt(file: string, reason: string): SluiceError {
  return new SluiceError('SLUICE_INDEX_CORRUPT', `the graph file ${file} is damaged: ${reason}`, {
    hint: 'searches scan the vectors instead; the next publish writes a new one',
    details: { path: file },
  });
}
