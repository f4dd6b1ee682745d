import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backupIndex, openStore, verifyIndex } from '../../../src/store/index.js';
import { unfinishedBeside } from '../../../src/store/maintenance/unfinished.js';
import { batch, document, newFolder } from '../support.js';
import { answersOf, filledFolder, GRAPH, query } from './fixture.js';

const OPTIONS = { graphThreshold: 20 };

const endedPid = () => spawnSync(process.execPath, ['--version']).pid;

describe('backup', () => {
  it('is the same index', async () => {
    const folder = await filledFolder();
    const target = join(newFolder(), 'copy');
    expect(await backupIndex(folder, target, OPTIONS)).toMatchObject({ generation: 3, target });
    expect(await answersOf(target)).toEqual(await answersOf(folder));
    expect(await verifyIndex(target)).toMatchObject({ ok: true, generation: 3 });
    expect(readdirSync(dirname(target))).toEqual(['copy']);
  });

  it('is whole while a writer commits, publishes, purges and compacts', async () => {
    const folder = await filledFolder();
    const store = await openStore(folder, GRAPH);
    const writer = await store.writer();
    let stop = false;
    const writing = (async () => {
      for (let n = 0; !stop; n++) {
        await writer.commit(
          batch([
            document('docs/7.md', [`alpha number7 version${n}`]),
            document(`more ${n}`, [`alpha ${n}`]),
          ]),
        );
        if (n % 3 === 0) await writer.publish();
        if (n % 10 === 9) await writer.compact();
      }
    })();
    try {
      for (let round = 0; round < 5; round++) {
        const target = join(newFolder(), 'copy');
        const { generation } = await backupIndex(folder, target, OPTIONS);
        const report = await verifyIndex(target);
        expect(report.findings).toEqual([]);
        expect(report.generation).toBe(generation);
        // An index that is written can be verified too.
        expect((await verifyIndex(folder)).findings).toEqual([]);
      }
    } finally {
      stop = true;
      await writing;
      await store.close();
    }
  });

  it('goes into a new or empty folder outside of the index only', async () => {
    const folder = await filledFolder();
    const full = newFolder();
    writeFileSync(join(full, 'mine'), '');
    await expect(backupIndex(folder, full)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    await expect(backupIndex(folder, join(folder, 'inside'))).rejects.toThrow(/lies inside the index/);
    expect(readdirSync(full)).toEqual(['mine']);
    await backupIndex(folder, newFolder(), OPTIONS);
  });

  it('that was interrupted looks like nothing, and the next one clears it away', async () => {
    const folder = await filledFolder();
    const target = join(newFolder(), 'copy');
    const left = unfinishedBeside(target).replace(`sluice-${process.pid}-`, `sluice-${endedPid()}-`);
    mkdirSync(join(left, 'keywords'), { recursive: true });
    writeFileSync(join(left, 'sluice.db'), 'half');
    await expect(openStore(target)).rejects.toMatchObject({ code: 'SLUICE_NOT_FOUND' });
    await backupIndex(folder, target, OPTIONS);
    expect(existsSync(left)).toBe(false);
    expect(await verifyIndex(target)).toMatchObject({ ok: true });
  });

  it('leaves alone what others made, whatever it is called, and what a running process makes', async () => {
    const folder = await filledFolder();
    const target = join(newFolder(), 'copy');
    const running = unfinishedBeside(target);
    const others = [`${target}.unfinished`, join(dirname(target), '.copy.unfinished'), running];
    for (const other of others) {
      mkdirSync(other);
      writeFileSync(join(other, 'mine'), 'mine');
    }
    await backupIndex(folder, target, OPTIONS);
    for (const other of others) expect(readdirSync(other)).toEqual(['mine']);
    expect(readdirSync(dirname(target))).toHaveLength(4);
  });

  it.each(['new', 'empty'])(
    'of two at once into one %s folder, one is whole and the other says why',
    async (target) => {
      const folders = [await filledFolder(), await filledFolder({ graphThreshold: 1_000 })];
      const wanted = target === 'new' ? join(newFolder(), 'copy') : newFolder();
      const both = await Promise.allSettled(folders.map((folder) => backupIndex(folder, wanted, OPTIONS)));
      const made = both.findIndex(({ status }) => status === 'fulfilled');
      expect(both[1 - made]).toMatchObject({
        status: 'rejected',
        reason: {
          code: 'SLUICE_USAGE',
          message: `${wanted} was filled by somebody else meanwhile; name a folder that is new or empty`,
        },
      });
      expect(await verifyIndex(wanted)).toMatchObject({ ok: true, findings: [] });
      const id = "SELECT value FROM settings WHERE key = 'indexId'";
      expect(query(wanted, id)).toEqual(query(folders[made]!, id));
      expect(readdirSync(dirname(wanted)).filter((name) => name.includes(basename(wanted)))).toEqual([
        basename(wanted),
      ]);
    },
  );

  it('makes the folders above, and says where it cannot', async () => {
    const folder = await filledFolder();
    await backupIndex(folder, join(newFolder(), 'a/b/copy'), OPTIONS);
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    await expect(backupIndex(folder, join(file, 'copy'))).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
  });
});
