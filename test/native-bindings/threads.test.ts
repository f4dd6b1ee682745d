/** Worker threads: the addon loads in many, and a thread may end in the middle of anything. In a child process, so
 * that a crash is a failed test and not the end of all tests. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { native, TOKENIZER_FILE, temporaryFolder } from './support.js';

const ADDON = join(import.meta.dirname, '../../native-bindings/index.cjs');
const folder = temporaryFolder();

/** What a worker does: everything at once, and nothing is waited for. */
const BUSY = `
  const { parentPort, workerData } = require('node:worker_threads');
  const addon = require(${JSON.stringify(ADDON)});
  const dims = 64;
  const rows = Float32Array.from({ length: 400 * dims }, () => Math.random() - 0.5);
  const labels = (from) => Uint32Array.from({ length: 400 }, (_, i) => from + i);
  const bytes = new TextEncoder().encode('some words '.repeat(400));
  const offsets = Uint32Array.from({ length: 401 }, (_, i) => i * 11);
  const graph = addon.VectorGraph.create(dims, 'cosine', 'float32', 8, 50, 1);
  const flat = addon.FlatVectors.create(dims, 'cosine', 'float32');
  const path = ${JSON.stringify(folder)} + '/' + workerData.name;
  const writer = addon.KeywordWriter.open(path, 1, 20_000_000);
  const tokenizer = addon.ModelTokenizer.fromFile(${JSON.stringify(TOKENIZER_FILE)});
  const fire = (round) => {
    const started = [
      graph.insert(labels(round * 400), rows.map((x) => x + round), 2),
      graph.search(rows.subarray(0, 40 * dims), 10, 50, 2, null),
      graph.save(path + '.hnsw', ''),
      writer.add(labels(round * 400), bytes, offsets),
      writer.commit(String(round)),
    ];
    flat.append(labels(round * 400), rows);
    started.push(flat.search(rows.subarray(0, dims), 10, 2, null));
    if (round === 0) started.push(addon.VectorGraph.load(path + '.none', dims, 'ip', 2).catch(() => {}));
    tokenizer.countRows(bytes, offsets);
    return started;
  };
`;

function runChild(code: string) {
  const { status, signal, stderr, stdout } = spawnSync(process.execPath, ['--expose-gc', '-e', code], {
    encoding: 'utf8',
    timeout: 55_000,
  });
  return { status, signal, stderr, stdout: stdout.trim() };
}

const started = (name: string, ending: string): string => `
  const { Worker } = require('node:worker_threads');
  ${name === 'loaded' ? `require(${JSON.stringify(ADDON)});` : ''}
  const code = ${JSON.stringify(BUSY)} + ${JSON.stringify(ending)};
  (async () => {
    for (let wave = 0; wave < 3; wave++) {
      const workers = [0, 1, 2, 3].map((i) => new Worker(code, { eval: true, workerData: { name: ${JSON.stringify(name)} + wave + i } }));
      await Promise.all(workers.map((worker) => new Promise((resolve, reject) => {
        worker.on('error', reject);
        worker.on('exit', resolve);
        worker.on('message', (message) => { if (message === 'terminate') worker.terminate(); });
      })));
    }
    console.log('all gone');
  })();
`;

const ALL_GONE = { status: 0, signal: null, stderr: '', stdout: 'all gone' };

describe('four workers, three times', () => {
  it('do their work and end', () => {
    const code = started('loaded', `Promise.all([...fire(0), ...fire(1)]).then(() => writer.close());`);
    expect(runChild(code)).toEqual(ALL_GONE);
  });

  it('end with work in flight', () => {
    expect(runChild(started('loaded', 'fire(0); fire(1); fire(2); process.exit(0);'))).toEqual(ALL_GONE);
  });

  it('are terminated with work in flight', () => {
    const ending = `fire(0); fire(1); parentPort.postMessage('terminate'); setInterval(() => {}, 10);`;
    expect(runChild(started('loaded', ending))).toEqual(ALL_GONE);
  });

  it('load the addon that the main thread never loaded', () => {
    expect(runChild(started('unloaded', 'fire(0); process.exit(0);'))).toEqual(ALL_GONE);
  });
});

it('the process ends with work in flight', () => {
  const code = `const workerData = { name: 'main' }; ${BUSY.replace(/const \{ parentPort.*\n/, '')}
    for (let round = 0; round < 4; round++) fire(round);
    console.log('all gone'); process.exit(0);`;
  expect(runChild(code)).toEqual(ALL_GONE);
});

it('objects are collected while they work', () => {
  const code = `
    const addon = require(${JSON.stringify(ADDON)});
    (async () => {
      for (let round = 0; round < 30; round++) {
        let graph = addon.VectorGraph.create(16, 'l2', 'float32', 8, 50, 1);
        const rows = Float32Array.from({ length: 500 * 16 }, Math.random);
        const inserted = graph.insert(Uint32Array.from({ length: 500 }, (_, i) => i), rows, 2);
        const found = graph.search(rows.subarray(0, 16), 3, 10, 1, null);
        let writer = addon.KeywordWriter.open(${JSON.stringify(folder)} + '/collected' + round, 1, 20_000_000);
        const added = writer.add(Uint32Array.of(1), new Uint8Array([97]), Uint32Array.of(0, 1));
        graph = writer = undefined;
        globalThis.gc();
        await Promise.all([inserted, found, added]);
        globalThis.gc();
      }
      console.log('all gone');
    })();`;
  expect(runChild(code)).toEqual(ALL_GONE);
});

it('lets the event loop run while it works', async () => {
  const graph = native.VectorGraph.create(64, 'cosine', 'float32', 16, 200, 1);
  const rows = Float32Array.from({ length: 3000 * 64 }, (_, i) => Math.sin(i * i));
  let longest = 0;
  let before = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - before);
    before = performance.now();
  }, 1);
  const labels = Uint32Array.from({ length: 3000 }, (_, i) => i);
  const called = performance.now();
  const inserted = graph.insert(labels, rows, 1);
  const took = performance.now() - called;
  await inserted;
  const whole = performance.now() - called;
  clearInterval(timer);
  expect(took).toBeLessThan(whole / 4);
  expect(longest).toBeLessThan(whole / 2);
});
