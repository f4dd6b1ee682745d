import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newRoot } from './program.js';
import { noRecorder, recorded } from './recorder.js';
import { type DiskEvent, readRecording } from './recording.js';
import { SimulatedDisk } from './simulated-disk.js';

function left(events: DiskEvent[], survives = () => false): string {
  const disk = new SimulatedDisk();
  for (const event of events) disk.play(event);
  const root = newRoot();
  disk.cut(root, survives);
  return root;
}

const file = (text: string): DiskEvent[] => [
  { kind: 'create', inode: 1n, path: 'a.tmp' },
  { kind: 'write', inode: 1n, offset: 0, data: Buffer.from(text) },
];
const SYNC_FILE: DiskEvent = { kind: 'syncFile', inode: 1n };
const SYNC_FOLDER: DiskEvent = { kind: 'syncFolder', path: '' };
const RENAME: DiskEvent = { kind: 'rename', path: 'a.tmp', to: 'a' };

describe('a simulated disk', () => {
  it('loses names and bytes that were not synced, and keeps those that were', () => {
    expect(readdirSync(left([...file('x'), SYNC_FILE]))).toEqual([]);
    expect(readFileSync(join(left([...file('x'), SYNC_FOLDER]), 'a.tmp'), 'utf8')).toBe('');
    expect(readFileSync(join(left([...file('x'), SYNC_FILE, SYNC_FOLDER]), 'a.tmp'), 'utf8')).toBe('x');
    expect(
      readFileSync(
        join(
          left(file('x'), () => true),
          'a.tmp',
        ),
        'utf8',
      ),
    ).toBe('x');
  });

  it('takes back a rename and a removal whose folder was not synced', () => {
    const whole = [...file('x'), SYNC_FILE, SYNC_FOLDER];
    expect(readdirSync(left([...whole, RENAME]))).toEqual(['a.tmp']);
    expect(readdirSync(left([...whole, RENAME, SYNC_FOLDER]))).toEqual(['a']);
    expect(readdirSync(left([...whole, { kind: 'unlink', path: 'a.tmp' }]))).toEqual(['a.tmp']);
    expect(existsSync(join(left([...whole, { kind: 'unlink', path: 'a.tmp' }, SYNC_FOLDER]), 'a.tmp'))).toBe(
      false,
    );
  });

  it('tears writes at sectors', () => {
    let asked = 0;
    const every = () => asked++ % 2 === 0;
    const data = Buffer.alloc(1_200, 'y');
    const events: DiskEvent[] = [...file(''), SYNC_FOLDER, { kind: 'write', inode: 1n, offset: 0, data }];
    const bytes = readFileSync(join(left(events, every), 'a.tmp'));
    expect(bytes.includes(Buffer.from('yyyy'))).toBe(true);
    expect(bytes.length < 1_200 || bytes.includes(0)).toBe(true);
  });

  it.skipIf(noRecorder !== undefined)('plays back what a process did', () => {
    const [root, logs] = [newRoot(), newRoot()];
    const script = `
      const fs = require('node:fs');
      fs.mkdirSync(process.argv[1] + '/folder');
      fs.writeFileSync(process.argv[1] + '/folder/a.tmp', 'first');
      fs.renameSync(process.argv[1] + '/folder/a.tmp', process.argv[1] + '/folder/a');
      fs.appendFileSync(process.argv[1] + '/folder/a', ' second');
      fs.truncateSync(process.argv[1] + '/folder/a', 8);
      fs.writeFileSync(process.argv[1] + '/gone', 'x');
      fs.rmSync(process.argv[1] + '/gone');
      console.log('done');`;
    const env = recorded(root, { log: join(logs, 'recording') });
    expect(spawnSync(process.execPath, ['-e', script, root], { env }).status).toBe(0);
    const events = readRecording(join(logs, 'recording'));
    expect(events.at(-1)).toEqual({ kind: 'mark', text: 'done\n' });
    const copy = left(events, () => true);
    expect(readdirSync(copy)).toEqual(['folder']);
    expect(readdirSync(join(copy, 'folder'))).toEqual(['a']);
    expect(readFileSync(join(copy, 'folder', 'a'), 'utf8')).toBe('first se');
  });
});
