/** An open index while it is cared for: searches go on, and a snapshot that is gone is replaced by the newest. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openIndex, verifyIndex } from '../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'sluice-care-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('compacts and backs up under searches, and reads on where another process purged', async () => {
  const place = join(folder, 'index');
  const index = await openIndex(place);
  const texts = (version: number) =>
    Array.from({ length: 12 }, (_, i) => ({
      id: `d${i}`,
      text: `The ledger of room ${i}, version ${version}.`,
    }));
  await index.add(texts(0));
  const other = await openIndex(place, { readonly: true });
  expect((await other.get('d1'))!.text).toContain('version 0');
  let searching = true;
  const searches = (async () => {
    let count = 0;
    for (; searching; count++)
      expect((await index.search('ledger of room', { rerank: false })).hits).toHaveLength(5);
    return count;
  })();
  for (let version = 1; version < 4; version++) {
    await index.add(texts(version));
    expect(await index.compact()).toMatchObject({ erased: true });
    // Its last refresh was a moment ago, at a generation whose rows are gone.
    expect((await other.get('d1'))!.text).toMatch(/version \d/);
    expect((await other.search('ledger of room', { rerank: false })).hits).toHaveLength(5);
  }
  const copy = join(folder, 'copy');
  expect(await index.backup(copy)).toMatchObject({ target: copy });
  searching = false;
  expect(await searches).toBeGreaterThan(3);
  await index.close();
  await other.close();
  for (const one of [place, copy]) expect(await verifyIndex(one)).toMatchObject({ ok: true, findings: [] });
  await expect(index.backup(join(folder, 'late'))).rejects.toMatchObject({ code: 'SLUICE_INDEX_CLOSED' });
});
