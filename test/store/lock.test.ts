import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/errors.js';
import { folderTrouble, pathTrouble } from '../../src/store/path-trouble.js';
import { workerUrl } from '../../src/threads/worker-url.js';
import { newFolder } from './support.js';

const LOCK = new URL(
  './store/lock.js',
  workerUrl(new URL('../../src/index.ts', import.meta.url).href, './index.js'),
);

/** Takes the lock as a user who may write nowhere, and says what was thrown. */
function lockAsNobody(folder: string) {
  const program = `import { writerLock } from ${JSON.stringify(LOCK.href)};
    import { indexLayout } from ${JSON.stringify(new URL('./layout.js', LOCK).href)};
    try { writerLock(indexLayout(process.argv[1])); }
    catch ({ code, message }) { console.log(JSON.stringify({ code, message })); }`;
  const node = [process.execPath, '--input-type=module', '-e', program, folder];
  const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups', ...node];
  return spawnSync('setpriv', nobody, { encoding: 'utf8' });
}

const canChangeUser = spawnSync('setpriv', ['--reuid=65534', '--clear-groups', 'true']).status === 0;

describe('the writer lock', () => {
  it.skipIf(!canChangeUser)('of a folder that cannot be written is an error with a code', () => {
    const folder = newFolder();
    chmodSync(folder, 0o755);
    const { stdout, stderr } = lockAsNobody(folder);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'SLUICE_DISK_FAILED',
      message: expect.stringContaining(`cannot write to the index ${folder}`),
    });
  });
});

describe('what the system says of a path', () => {
  const said = (code: string) => Object.assign(new Error('said'), { code });

  it.each([
    ['ENOENT', 'SLUICE_NOT_FOUND'],
    ['ENOTDIR', 'SLUICE_USAGE'],
    ['EISDIR', 'SLUICE_USAGE'],
    ['ENAMETOOLONG', 'SLUICE_USAGE'],
    ['EACCES', 'SLUICE_DISK_FAILED'],
    ['EPERM', 'SLUICE_DISK_FAILED'],
    ['EROFS', 'SLUICE_DISK_FAILED'],
    ['ENOSPC', 'SLUICE_DISK_FULL'],
  ])('%s becomes %s', (system, code) => {
    const error = pathTrouble(said(system), 'open', '/a/b');
    expect(error).toMatchObject({ code });
    expect(error.code in ERROR_CODES).toBe(true);
    if (system !== 'ENOSPC') expect(error.message).toContain('cannot open /a/b: ');
  });

  it('a folder that could be made but is said to be missing stays missing', () => {
    const folder = join(newFolder(), 'a', 'b');
    expect(folderTrouble(said('ENOENT'), folder)).toMatchObject({ code: 'SLUICE_NOT_FOUND' });
  });
});
