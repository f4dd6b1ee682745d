import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DiskEvent } from './recording.js';

/** The smallest piece that a disk writes wholly or not at all. */
const SECTOR_BYTES = 512;

type Change = { offset: number; data: Buffer } | { truncated: number };

/** A file's bytes: what is certain, and what was changed since the last sync. */
class SimulatedFile {
  #durable: Buffer = Buffer.alloc(0);
  #pending: Change[] = [];

  change(change: Change): void {
    this.#pending.push(change);
  }

  sync(): void {
    for (const change of this.#pending) this.#durable = apply(this.#durable, change);
    this.#pending = [];
  }

  /** @param survives asked for each unsynced sector and change of length */
  contents(survives: () => boolean): Buffer {
    let bytes: Buffer = Buffer.from(this.#durable);
    for (const change of this.#pending) {
      for (const piece of sectorsOf(change)) if (survives()) bytes = apply(bytes, piece);
    }
    return bytes;
  }
}

function* sectorsOf(change: Change): Generator<Change> {
  if ('truncated' in change) return yield change;
  const end = change.offset + change.data.length;
  for (let at = change.offset; at < end; ) {
    const next = Math.min(end, at - (at % SECTOR_BYTES) + SECTOR_BYTES);
    yield { offset: at, data: change.data.subarray(at - change.offset, next - change.offset) };
    at = next;
  }
}

function apply(bytes: Buffer, change: Change): Buffer {
  const length = 'truncated' in change ? change.truncated : change.offset + change.data.length;
  const resized = 'truncated' in change ? length : Math.max(bytes.length, length);
  let result = bytes;
  if (resized !== bytes.length) {
    result = Buffer.alloc(resized);
    bytes.copy(result, 0, 0, resized);
  }
  if ('data' in change) change.data.copy(result, change.offset);
  return result;
}

type Entry = SimulatedFile | SimulatedFolder;
type EntryChange = { remove?: string; add?: [string, Entry] };

/** A folder's entries: those that are certain, and what was changed since the last sync. A rename is one change. */
class SimulatedFolder {
  #durable = new Map<string, Entry>();
  #pending: EntryChange[] = [];
  readonly now = new Map<string, Entry>();

  change(change: EntryChange): void {
    this.#pending.push(change);
    enter(this.now, change);
  }

  sync(): void {
    for (const change of this.#pending) enter(this.#durable, change);
    this.#pending = [];
  }

  entries(survives: () => boolean): Map<string, Entry> {
    const entries = new Map(this.#durable);
    for (const change of this.#pending) if (survives()) enter(entries, change);
    return entries;
  }
}

function enter(entries: Map<string, Entry>, { remove, add }: EntryChange): void {
  if (remove !== undefined) entries.delete(remove);
  if (add) entries.set(...add);
}

/**
 * A disk that guarantees no more than POSIX does: bytes of a file once it was synced, names once their folder was
 * synced. Anything else may or may not be there after a power cut, sector by sector and name by name.
 */
export class SimulatedDisk {
  readonly #root = new SimulatedFolder();
  readonly #files = new Map<bigint, SimulatedFile>();

  play(event: DiskEvent): void {
    switch (event.kind) {
      case 'create':
        this.#create(event.path, event.inode);
        break;
      case 'write':
        this.#file(event.inode).change({ offset: event.offset, data: event.data });
        break;
      case 'truncate':
        this.#file(event.inode).change({ truncated: event.bytes });
        break;
      case 'syncFile':
        this.#file(event.inode).sync();
        break;
      case 'syncFolder':
        this.#folder(event.path).sync();
        break;
      case 'rename':
        this.#rename(event.path, event.to);
        break;
      case 'unlink':
      case 'rmdir':
        this.#change(event.path, (name) => ({ remove: name }));
        break;
      case 'mkdir':
        this.#change(event.path, (name) => ({ add: [name, new SimulatedFolder()] }));
    }
  }

  /** Writes what a power cut now leaves. SQLite makes its -shm anew, so it is left out. */
  cut(folder: string, survives: () => boolean): void {
    write(this.#root, folder, survives);
  }

  #create(path: string, inode: bigint): void {
    const file = new SimulatedFile();
    this.#files.set(inode, file);
    this.#change(path, (name) => ({ add: [name, file] }));
  }

  #rename(path: string, to: string): void {
    if (dirname(path) !== dirname(to)) throw new Error(`${path} is renamed into another folder: ${to}`);
    const [folder, name] = this.#place(path);
    folder.change({ remove: name, add: [this.#place(to)[1], folder.now.get(name)!] });
  }

  #change(path: string, change: (name: string) => EntryChange): void {
    const [folder, name] = this.#place(path);
    folder.change(change(name));
  }

  #place(path: string): [SimulatedFolder, string] {
    const at = path.lastIndexOf('/');
    return [this.#folder(path.slice(0, Math.max(at, 0))), path.slice(at + 1)];
  }

  #folder(path: string): SimulatedFolder {
    let folder = this.#root;
    for (const name of path.split('/').filter(Boolean)) folder = folder.now.get(name) as SimulatedFolder;
    return folder;
  }

  #file(inode: bigint): SimulatedFile {
    const file = this.#files.get(inode);
    if (!file) throw new Error(`a file that was there before the recording began: inode ${inode}`);
    return file;
  }
}

function write(from: SimulatedFolder, folder: string, survives: () => boolean): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, entry] of from.entries(survives)) {
    const path = join(folder, name);
    if (entry instanceof SimulatedFolder) write(entry, path, survives);
    else if (!name.endsWith('-shm')) writeFileSync(path, entry.contents(survives));
  }
}
