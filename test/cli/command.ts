import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface CommandResult {
  status: number | null;
  /** What ended the process, null if it ended by itself. */
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunningCommand {
  pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Leaves like `head`: nobody reads what comes after. */
  closeStdout(): void;
  /** Resolves when stderr has shown the text. */
  shows(text: string): Promise<void>;
  /** Resolves to the whole lines of stdout once there are so many. */
  lines(count: number): Promise<string[]>;
  result: Promise<CommandResult>;
}

/** Starts the built command as its own process. */
export function startCommand(args: string[], cwd: string, nodeOptions: string[] = []): RunningCommand {
  const child = spawn(process.execPath, [...nodeOptions, MAIN, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const whole = () => stdout.split('\n').slice(0, -1);
  const counting: { lines: number; resolve: (lines: string[]) => void }[] = [];
  const waiting: { text: string; resolve: () => void }[] = [];
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    stdout += data;
    for (const { lines, resolve } of counting) if (whole().length >= lines) resolve(whole());
  });
  child.stderr.setEncoding('utf8').on('data', (data: string) => {
    stderr += data;
    for (const { text, resolve } of waiting) if (stderr.includes(text)) resolve();
  });
  return {
    pid: child.pid!,
    kill: (signal) => void child.kill(signal),
    closeStdout: () => void child.stdout.destroy(),
    shows: (text) =>
      new Promise((resolve) => (stderr.includes(text) ? resolve() : waiting.push({ text, resolve }))),
    lines: (lines) =>
      new Promise((resolve) =>
        whole().length >= lines ? resolve(whole()) : counting.push({ lines, resolve }),
      ),
    result: new Promise((resolve) =>
      child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr })),
    ),
  };
}

export function runCommand(args: string[], cwd: string): Promise<CommandResult> {
  return startCommand(args, cwd).result;
}

/** A folder with these files, gone after `remove`. */
export async function folderWith(
  files: Record<string, string | Uint8Array>,
): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
