import { readFileSync } from 'node:fs';

/** What a process did to its disk, as recorder.c has written it down. Paths are below the recorded folder. */
export type DiskEvent =
  | { kind: 'create'; inode: bigint; path: string }
  | { kind: 'write'; inode: bigint; offset: number; data: Buffer }
  | { kind: 'truncate'; inode: bigint; bytes: number }
  | { kind: 'syncFile'; inode: bigint }
  | { kind: 'syncFolder'; path: string }
  | { kind: 'rename'; path: string; to: string }
  | { kind: 'unlink' | 'mkdir' | 'rmdir'; path: string }
  /** What it wrote to its standard output. */
  | { kind: 'mark'; text: string };

const HEAD_BYTES = 32;
const KINDS = [
  'create',
  'write',
  'truncate',
  'syncFile',
  'syncFolder',
  'rename',
  'unlink',
  'mkdir',
  'rmdir',
  'mark',
  'unknown',
] as const;

/** @throws where the process did something that cannot be played back */
export function readRecording(file: string): DiskEvent[] {
  const bytes = readFileSync(file);
  const events: DiskEvent[] = [];
  for (let at = 0; at < bytes.length; ) {
    const kind = KINDS[bytes.readUInt32LE(at) - 1]!;
    const [pathBytes, otherBytes, dataBytes] = [4, 8, 12].map((field) => bytes.readUInt32LE(at + field));
    const inode = bytes.readBigUInt64LE(at + 16);
    const number = Number(bytes.readBigUInt64LE(at + 24));
    at += HEAD_BYTES;
    const [dataAt, otherAt] = [at + pathBytes! + otherBytes!, at + pathBytes!];
    const path = bytes.toString('utf8', at, otherAt);
    const other = bytes.toString('utf8', otherAt, dataAt);
    at = dataAt + dataBytes!;
    const data = bytes.subarray(dataAt, at);
    if (kind === 'unknown') throw new Error(`${other} on ${path} cannot be played back`);
    if (kind === 'create') events.push({ kind, inode, path });
    else if (kind === 'write') events.push({ kind, inode, offset: number, data });
    else if (kind === 'truncate') events.push({ kind, inode, bytes: number });
    else if (kind === 'syncFile') events.push({ kind, inode });
    else if (kind === 'rename') events.push({ kind, path, to: other });
    else if (kind === 'mark') events.push({ kind, text: data.toString('utf8') });
    else events.push({ kind, path });
  }
  return events;
}
