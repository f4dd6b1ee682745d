/** The files of a keyword index: filled anew, merged, looked at byte by byte. */

import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { expect, it } from 'vitest';
import { codeOf, columns, labelsFrom, native, temporaryFolder } from './support.js';

const folder = temporaryFolder();
let folders = 0;

/** Three commits, and some rows removed. */
async function filled(): Promise<string> {
  const path = join(folder, `files-${folders++}`);
  const writer = native.KeywordWriter.open(path, 1, 20_000_000);
  for (let from = 0; from < 30; from += 10) {
    await writer.add(
      labelsFrom(from, 10),
      ...columns(Array.from({ length: 10 }, (_, i) => `alpha w${from + i}`)),
    );
    await writer.commit(`payload ${from}`);
  }
  await writer.remove(Uint32Array.of(3, 14));
  await writer.commit('last');
  await writer.close();
  return path;
}

const segments = (path: string) => readdirSync(path).filter((name) => name.endsWith('.term'));

it('a check lists what is live, and every file counts', async () => {
  const path = await filled();
  const { files, bytes, problems, payload, labels } = await native.checkKeywordIndex(path);
  expect(problems).toEqual([]);
  expect(payload).toBe('last');
  expect([...labels]).toEqual(
    Array.from({ length: 30 }, (_, i) => i).filter((label) => label !== 3 && label !== 14),
  );
  expect(files).toBe(2 + 6 * segments(path).length + 2);
  expect(bytes).toBeGreaterThan(500);
});

it('a check goes on after the first damaged file, and so does no reader', async () => {
  const path = await filled();
  const names = readdirSync(path).filter((name) => /\.(term|idx)$/.test(name));
  for (const name of names) truncateSync(join(path, name), 3);
  const { problems, labels } = await native.checkKeywordIndex(path);
  expect(problems).toHaveLength(names.length);
  for (const name of names) expect(problems.join('\n')).toContain(join(path, name));
  expect(labels).toHaveLength(0);
  expect(await codeOf(() => native.KeywordReader.open(path))).toBe('SLUICE_INDEX_CORRUPT');
});

it('no file of a segment can be missing or empty, not even those that searches open late', async () => {
  const path = await filled();
  const kinds = new Map(
    readdirSync(path)
      .filter((name) => /^[0-9a-f]{32}\./.test(name))
      .map((name) => [extname(name), name]),
  );
  expect([...kinds.keys()].sort()).toEqual([
    '.del',
    '.fast',
    '.fieldnorm',
    '.idx',
    '.pos',
    '.store',
    '.term',
  ]);
  const older = native.KeywordReader.open(path);
  for (const name of kinds.values()) {
    const file = join(path, name);
    const bytes = readFileSync(file);
    for (const damage of [() => rmSync(file), () => writeFileSync(file, '')]) {
      damage();
      await expect(async () => native.KeywordReader.open(path), name).rejects.toThrow(name);
      expect(await codeOf(() => native.KeywordReader.open(path)), name).toBe('SLUICE_INDEX_CORRUPT');
      expect(await codeOf(() => older.refresh()), name).toBe('SLUICE_INDEX_CORRUPT');
    }
    writeFileSync(file, bytes);
    await native.KeywordReader.open(path).close();
  }
  await older.close();
});

it('a file that changes after it was checked is checked again', async () => {
  const path = await filled();
  await native.KeywordReader.open(path).close();
  const file = join(path, segments(path)[0]!);
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 1;
  rmSync(file);
  writeFileSync(file, bytes);
  expect(await codeOf(() => native.KeywordReader.open(path))).toBe('SLUICE_INDEX_CORRUPT');
});

it.each(['meta.json', '.managed.json'])('%s has a checksum, and no byte of it can change', async (name) => {
  const path = await filled();
  const file = join(path, name);
  const bytes = readFileSync(file);
  expect(bytes.toString('latin1')).toMatch(/crc32 [0-9a-f]{8}\n$/);
  for (let at = 0; at < bytes.length; at += 7) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 4;
    writeFileSync(file, changed);
    expect(await codeOf(() => native.KeywordReader.open(path)), `byte ${at}`).toBe('SLUICE_INDEX_CORRUPT');
  }
  // Files of before there were checksums have none.
  writeFileSync(file, bytes.subarray(0, -15));
  await native.KeywordReader.open(path).close();
});

it('filling anew shows nothing before its commit, and merging leaves one segment and no other file', async () => {
  const path = await filled();
  const reader = native.KeywordReader.open(path);
  const { documents, labelSum } = reader;
  expect([documents, labelSum]).toEqual([28, (29 * 30) / 2 - 17]);
  const writer = native.KeywordWriter.open(path, 2, 40_000_000);
  await writer.clear();
  await writer.add(labelsFrom(100, 5), ...columns(['beta', 'beta', 'beta', 'alpha', 'beta']));
  await reader.refresh();
  expect((await reader.search('alpha', 99, null)).labels).toHaveLength(28);
  await writer.commit('anew');
  await writer.merge();
  expect(segments(path)).toHaveLength(1);
  // A snapshot outlives its files.
  expect((await reader.search('alpha', 99, null)).labels).toHaveLength(28);
  await reader.refresh();
  expect([reader.payload, reader.documents, reader.labelSum]).toEqual(['anew', 5, 510]);
  expect([...(await reader.search('alpha', 99, null)).labels]).toEqual([103]);
  await writer.remove(Uint32Array.of(103));
  await writer.add(Uint32Array.of(200), ...columns(['alpha']));
  await writer.commit('on');
  await reader.refresh();
  expect([...(await reader.search('alpha', 99, null)).labels]).toEqual([200]);
  await reader.close();
  await writer.close();
});
