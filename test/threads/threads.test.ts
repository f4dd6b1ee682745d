import { describe, expect, it } from 'vitest';
import { cgroupQuota, usableCores } from '../../src/threads/cores.js';
import { transferList } from '../../src/threads/transfer.js';
import { workerUrl } from '../../src/threads/worker-url.js';

function files(contents: Record<string, string>) {
  return (path: string) => {
    const content = contents[path];
    if (content === undefined) throw new Error(`no ${path}`);
    return content;
  };
}

describe('cores', () => {
  it.each([
    [{ '/sys/fs/cgroup/cpu.max': '150000 100000\n' }, 1.5],
    [{ '/sys/fs/cgroup/cpu.max': 'max 100000\n' }, undefined],
    [
      {
        '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '50000',
        '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
      },
      0.5,
    ],
    [{ '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1' }, undefined],
    [{}, undefined],
  ])('reads the quota of %j as %s', (contents, quota) => {
    expect(cgroupQuota(files(contents as unknown as Record<string, string>))).toBe(quota);
  });

  it('never goes below one core', () => {
    expect(usableCores(files({ '/sys/fs/cgroup/cpu.max': '10000 100000' }))).toBe(1);
  });
});

describe('workerUrl', () => {
  it.each([
    ['file:///u/me/src/sluice/src/store/open.ts', 'file:///u/me/src/sluice/dist/store/w.js'],
    ['file:///opt/sluice/dist/store/open.js', 'file:///opt/sluice/dist/store/w.js'],
    [
      'file:///app/src/node_modules/sluice/dist/store/open.js',
      'file:///app/src/node_modules/sluice/dist/store/w.js',
    ],
  ])('resolves next to %s', (from, expected) => {
    expect(workerUrl(from, './w.js').href).toBe(expected);
  });
});

describe('transferList', () => {
  it('finds each buffer once, at any depth, and leaves shared ones', () => {
    const buffer = new ArrayBuffer(8);
    const other = new Uint8Array(4);
    const shared = new Uint8Array(new SharedArrayBuffer(4));
    const value = {
      a: new Uint8Array(buffer),
      b: [{ c: new Uint8Array(buffer, 4) }, { c: other }],
      shared,
      s: 'x',
    };
    expect(transferList(value)).toEqual([buffer, other.buffer]);
  });
});
