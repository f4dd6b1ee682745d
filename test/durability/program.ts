import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll } from 'vitest';
import { workerUrl } from '../../src/threads/worker-url.js';

/** The compiled store, as programs of their own load it. */
export const STORE = workerUrl(new URL('../../src/store/index.ts', import.meta.url).href, './index.js').href;

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new folder without symbolic links in its path, gone after the tests of the file. */
export function newRoot(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-durability-')));
  folders.push(folder);
  return folder;
}

export interface Program {
  pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves at the first line that fits. */
  says(pattern: RegExp): Promise<string>;
  send(line: string): void;
  /** Resolves once it is gone and all that it said was heard. */
  ended: Promise<{ status: number | null; signal: NodeJS.Signals | null; errors: string }>;
}

/** Starts a program of this folder; `hear` gets its lines. */
export function startProgram(
  name: string,
  argument: object,
  { env = process.env, hear = () => {} }: { env?: NodeJS.ProcessEnv; hear?: (line: string) => void } = {},
): Program {
  const file = join(import.meta.dirname, name);
  const child = spawn(process.execPath, [file, JSON.stringify(argument)], { env, stdio: 'pipe' });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (data: string) => {
    errors += data;
  });
  const waiting: { pattern: RegExp; resolve: (line: string) => void }[] = [];
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    said.push(line);
    hear(line);
    for (const { pattern, resolve } of waiting) if (pattern.test(line)) resolve(line);
  });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const ended = Promise.all([exit, once(lines, 'close')]).then(([[status, signal]]) => ({
    status,
    signal,
    errors,
  }));
  return {
    pid: child.pid!,
    kill: (signal) => void child.kill(signal),
    send: (line) => void child.stdin.write(`${line}\n`),
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const heard = said.find((line) => pattern.test(line));
        if (heard !== undefined) return resolve(heard);
        waiting.push({ pattern, resolve });
        void ended.then(({ status, signal }) =>
          reject(new Error(`it ended (${status ?? signal}) before it said ${pattern}: ${errors}`)),
        );
      }),
    ended,
  };
}
