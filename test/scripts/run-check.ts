import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface CheckResult {
  exitCode: number | null;
  /** Lines of standard error: one a violation. */
  violations: string[];
  summary: string;
}

/** Runs a script of scripts/ on a made-up repository, given as paths and contents. */
export function runCheck(script: string, tree: Record<string, string | Uint8Array>): CheckResult {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-check-'));
  try {
    for (const [name, content] of Object.entries(tree)) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), content);
    }
    const file = fileURLToPath(new URL(`../../scripts/${script}`, import.meta.url));
    const run = spawnSync(process.execPath, [file, root], { encoding: 'utf8' });
    const lines = run.stderr.split('\n').filter((line) => line !== '');
    return { exitCode: run.status, violations: lines, summary: run.stdout.trim() };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
