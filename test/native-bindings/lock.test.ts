/** The file lock: one holder, in this process or another, and free again when the holder is gone. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { codeOf, native, temporaryFolder } from './support.js';

const folder = temporaryFolder();
const ADDON = join(import.meta.dirname, '../../native-bindings/index.cjs');

it('has one holder in a process', () => {
  const path = join(folder, 'one');
  const first = native.tryLockFile(path)!;
  expect(native.tryLockFile(path)).toBeNull();
  first.release();
  const second = native.tryLockFile(path)!;
  expect(second).not.toBeNull();
  // The first no longer holds anything that it could free.
  first.release();
  expect(native.tryLockFile(path)).toBeNull();
  second.release();
  expect(existsSync(path)).toBe(true);
});

it('is seen by worker threads', async () => {
  const path = join(folder, 'thread');
  const lock = native.tryLockFile(path)!;
  const code = `require('node:worker_threads').parentPort.postMessage(require(${JSON.stringify(ADDON)}).tryLockFile(${JSON.stringify(path)}) === null)`;
  const [taken] = await once(new Worker(code, { eval: true }), 'message');
  expect(taken).toBe(true);
  lock.release();
});

it('ends with its process, however that ends', async () => {
  const path = join(folder, 'process');
  const code = `
    const lock = require(${JSON.stringify(ADDON)}).tryLockFile(${JSON.stringify(path)});
    console.log(lock === null ? 'taken' : 'held');
    setInterval(() => lock, 1000);`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await once(child.stdout, 'data');
  expect(String(output).trim()).toBe('held');
  expect(native.tryLockFile(path)).toBeNull();
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  const lock = native.tryLockFile(path);
  expect(lock).not.toBeNull();
  lock!.release();
});

it('is not inherited by children', async () => {
  const path = join(folder, 'child');
  const lock = native.tryLockFile(path)!;
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log(1)'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  lock.release();
  const again = native.tryLockFile(path);
  child.kill('SIGKILL');
  expect(again).not.toBeNull();
  again!.release();
});

it('says why it cannot lock', async () => {
  expect(await codeOf(() => native.tryLockFile(join(folder, 'no', 'folder')))).toBe('SLUICE_NOT_FOUND');
  mkdirSync(join(folder, 'a-folder'));
  expect(await codeOf(() => native.tryLockFile(join(folder, 'a-folder')))).toBe('SLUICE_NATIVE_FAILED');
});
