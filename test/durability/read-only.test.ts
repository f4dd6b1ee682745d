import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newRoot, STORE, startProgram } from './program.js';

const PROGRAM = join(import.meta.dirname, 'pairs.mjs');
const OPTIONS = { graphThreshold: 30, threads: 1 };

/** Shell commands that run "$@" where the folder $0 cannot be written. */
const PLACES: Record<string, string> = {
  'a read-only mount': 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"',
  "another user's folder": 'exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"',
};

/** @param command what is to run there */
function there(place: string, folder: string, command: string[]) {
  return spawnSync('unshare', ['-m', 'sh', '-c', PLACES[place]!, folder, ...command], { encoding: 'utf8' });
}

/** Why this place cannot be had here; undefined where it can. */
function missing(place: string): string | undefined {
  if (process.platform !== 'linux') return 'Linux only';
  const folder = newRoot();
  chmodSync(folder, 0o755);
  const tried = there(place, folder, [
    'sh',
    '-c',
    'test -r "$1" && ! touch "$1/x" 2>/dev/null',
    'sh',
    folder,
  ]);
  return tried.status === 0 ? undefined : `not allowed here: ${tried.stderr.trim() || tried.error?.message}`;
}

function look(place: string, folder: string): Record<string, unknown> {
  const argument = JSON.stringify({ store: STORE, folder, options: OPTIONS, role: 'once', ms: 0 });
  const { status, stdout, stderr } = there(place, folder, [process.execPath, PROGRAM, argument]);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

const start = (role: string, folder: string, ms = 0) =>
  startProgram('pairs.mjs', { store: STORE, folder, options: OPTIONS, role, ms });

function newFolder(): string {
  const root = newRoot();
  chmodSync(root, 0o755);
  return join(root, 'index');
}

for (const place of Object.keys(PLACES)) {
  const reason = missing(place);
  describe.skipIf(reason !== undefined)(`reading from ${place}${reason ? `: ${reason}` : ''}`, () => {
    it('an index that was closed', async () => {
      const folder = newFolder();
      expect((await start('upsert', folder).ended).status).toBe(0);
      expect(readdirSync(folder).filter((name) => name.startsWith('sluice.db'))).toEqual(['sluice.db']);
      const before = readdirSync(folder, { recursive: true }).sort();
      expect(look(place, folder)).toEqual({ generation: 1, chunks: 40, wrong: [], problems: [] });
      expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
    });

    it('an index whose writer was killed, with its log beside it', async () => {
      const folder = newFolder();
      const writer = start('writer', folder, 60_000);
      await writer.says(/ready/);
      writer.kill('SIGKILL');
      await writer.ended;
      expect(existsSync(join(folder, 'sluice.db-wal'))).toBe(true);
      expect(look(place, folder)).toMatchObject({ chunks: 40, wrong: [], problems: [] });
    });

    it('an index that is written to elsewhere', async () => {
      const folder = newFolder();
      const writer = start('writer', folder, 4_000);
      await writer.says(/ready/);
      for (let i = 0; i < 3; i++) {
        expect(look(place, folder)).toMatchObject({ chunks: 40, wrong: [], problems: [] });
      }
      expect((await writer.ended).status).toBe(0);
      expect(look(place, folder)).toMatchObject({ chunks: 40, wrong: [], problems: [] });
    });

    it('what was copied in the middle of writing, without the shared memory: a reason', async () => {
      const folder = newFolder();
      const writer = start('writer', folder, 60_000);
      await writer.says(/ready/);
      writer.kill('SIGKILL');
      await writer.ended;
      const copy = newFolder();
      cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith('-shm') });
      const argument = JSON.stringify({ store: STORE, folder: copy, options: OPTIONS, role: 'once', ms: 0 });
      const { status, stderr } = there(place, copy, [process.execPath, PROGRAM, argument]);
      expect(status).not.toBe(0);
      expect(stderr).toMatch(/SLUICE_DISK_FAILED/);
      expect(stderr).toMatch(/has to be opened once where its folder can be written/);
    });
  });
}
