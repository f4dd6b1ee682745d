import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { FORMAT_VERSION, migrateStore, openStore, verifyIndex } from '../../src/store/index.js';
import { answersAndWrites, FIXTURES, golden } from './golden-index.js';
import { GOLDEN_MAKERS, GOLDEN_OPTIONS } from './make-golden.js';

const { MAKE_GOLDEN } = process.env;
it.runIf(MAKE_GOLDEN)(`makes ${MAKE_GOLDEN}`, () =>
  GOLDEN_MAKERS[MAKE_GOLDEN!]!(join(FIXTURES, MAKE_GOLDEN!)),
);

it('opens an index of the present format version, answers from it and writes to it', () =>
  answersAndWrites(golden(FORMAT_VERSION)));

it.each([1, 2])(
  'says how an index of format version %i is brought up to date, and does it',
  async (version) => {
    const folder = golden(version);
    await expect(openStore(folder, GOLDEN_OPTIONS)).rejects.toMatchObject({
      code: 'SLUICE_INDEX_VERSION',
      message: expect.stringContaining('sluice migrate'),
      details: { expected: FORMAT_VERSION, actual: version },
    });
    expect(await migrateStore(folder)).toEqual({ from: version, to: FORMAT_VERSION });
    expect(await migrateStore(folder)).toEqual({ from: FORMAT_VERSION, to: FORMAT_VERSION });
    await answersAndWrites(folder);
  },
);

it('leaves damage where it was when it brings an index up to date', async () => {
  const folder = golden(2);
  const db = new Database(join(folder, 'sluice.db'));
  db.exec("UPDATE chunks SET heading_path = 'made up' WHERE label = 8");
  db.close();
  await migrateStore(folder);
  const { findings } = await verifyIndex(folder);
  expect(findings.filter(({ place }) => place.includes('docs/7.md'))).toHaveLength(1);
});
