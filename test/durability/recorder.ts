import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, 'recorder.c');

/** What recorder.c is to do to the calls of a process; see there. */
export interface DiskRule {
  operations: string;
  path: string;
  thread?: string;
  skip?: number;
  action: 'KILL' | 'ENOSPC' | 'EDQUOT' | 'EFBIG' | 'EIO';
}

/** Why there is no recorder here; undefined where there is one. */
export const noRecorder: string | undefined =
  process.platform === 'linux'
    ? spawnSync('cc', ['--version']).status === 0
      ? undefined
      : 'no C compiler (cc) was found'
    : 'only Linux can preload a library into a process';

let built: string | undefined;

function library(): string {
  if (built) return built;
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-recorder-')), 'recorder.so');
  const flags = ['-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC'];
  const { status, stderr } = spawnSync('cc', [...flags, '-o', file, SOURCE, '-lpthread']);
  if (status !== 0) throw new Error(`recorder.c does not compile: ${stderr}`);
  built = file;
  return built;
}

/** The environment of a process that is recorded, or meets the rules, below `root` (absolute, without links). */
export function recorded(root: string, { log, rules = [] }: { log?: string; rules?: DiskRule[] }) {
  const spelled = rules.map(({ operations, path, thread = '', skip = 0, action }) =>
    [operations, path, thread, skip, action].join('|'),
  );
  return {
    ...process.env,
    LD_PRELOAD: library(),
    SLUICE_DISK_ROOT: root,
    SLUICE_DISK_RULES: spelled.join(';'),
    ...(log !== undefined && { SLUICE_DISK_LOG: log }),
  };
}
