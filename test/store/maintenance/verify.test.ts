import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { vectorChecksum } from '../../../src/store/checksums.js';
import { repairIndex, verifyIndex } from '../../../src/store/index.js';
import { batch, DIMS, document, newFolder, newStore } from '../support.js';
import { change, copyOf, filledFolder, neededFile, query } from './fixture.js';

let sound: string;

beforeAll(async () => {
  sound = await filledFolder();
});

/** Findings as one text, of a copy that was changed. */
async function findingsAfter(damage: (folder: string) => void): Promise<string[]> {
  const folder = copyOf(sound);
  damage(folder);
  const report = await verifyIndex(folder);
  expect(report.ok).toBe(report.findings.length === 0);
  return report.findings.map(({ file, place, problem }) => `${file} | ${place} | ${problem}`);
}

describe('verify', () => {
  it('finds nothing in a sound index, and says what it looked at', async () => {
    const phases = new Set<string>();
    const report = await verifyIndex(sound, { onProgress: ({ phase }) => phases.add(phase) });
    expect(report).toMatchObject({ ok: true, findings: [], unlisted: 0, generation: 3 });
    expect(report.checked).toMatchObject({ documents: 35, graphFiles: 1 });
    expect(report.checked.keywordFiles).toBeGreaterThan(6);
    expect([...phases]).toEqual(expect.arrayContaining(['documents', 'bodies', 'keyword index', 'graph']));
  });

  it('names what holds half of a surrogate pair, as older releases stored some, and repair can drop it', async () => {
    const folder = newFolder();
    const store = await newStore({}, folder);
    const writer = await store.writer();
    const title = { title: 'half \udc00 title' };
    const given = [document('a', ['x']), document('b\ud800', ['x']), document('c', ['x'], title)];
    await writer.commit(batch([...given, document('d \ufffd\ud801\udc00 ퟿', ['x'])]));
    await store.close();
    const { findings } = await verifyIndex(folder);
    expect(findings.map(({ place, problem }) => `${place}: ${problem}`)).toEqual([
      expect.stringMatching(/^documents, row 2, document 'b.+': its id holds half of a surrogate pair/),
      expect.stringMatching(/^documents, row 3, document 'c': its title holds half of a surrogate pair/),
      ...findings.slice(2).map(() => expect.stringMatching(/^chunks, row 2, /)),
    ]);
    expect(await repairIndex(folder, { dropDamaged: true })).toMatchObject({ ok: true });
  });

  it.each([
    [
      'a title',
      "UPDATE documents SET title = 'Numbes 7' WHERE id = 'docs/7.md'",
      "documents, row 8, document 'docs/7.md'",
    ],
    ['a page', 'UPDATE chunks SET page = -1 WHERE label = 3', 'chunks, row 3'],
    ['a parent', 'UPDATE chunks SET parent_start = start + 1 WHERE label = 3', 'chunks, row 3'],
    ['metadata', "UPDATE documents SET metadata = '{' WHERE id = 'docs/7.md'", "document 'docs/7.md'"],
    [
      'a text',
      "UPDATE document_pages SET text = replace(text, 'number7', 'numbes7')",
      "document 'docs/7.md'",
    ],
    ['a text hash', 'UPDATE bodies SET text_hash = 1 WHERE key = 8', "bodies, row 8, document 'docs/7.md'"],
    ['a chunk id', "UPDATE chunks SET chunk_id = 'x' WHERE label = 2", 'chunks, row 2'],
    ['a span', 'UPDATE chunks SET "end" = 900 WHERE label = 3', 'its span 20 to 900 is not in the text'],
    ['a heading path', "UPDATE chunks SET heading_path = 'x' WHERE label = 3", "document 'docs/1.md'"],
    ['a chunk', 'DELETE FROM chunks WHERE label = 2', 'chunks, row 2'],
    [
      'an embedding hash',
      "UPDATE chunks SET embedding_hash = x'00' WHERE label = 4",
      'its embedding hash is cut',
    ],
    ['a vector', "UPDATE vectors SET data = x'00000000' WHERE label = 5", 'vectors, row 5'],
    ['the absence of a vector', 'DELETE FROM vectors WHERE label = 5', 'vectors, row 5'],
    ['a keyword text', "UPDATE keyword_texts SET data = x'00' WHERE body = 2", 'keyword_texts, row 2'],
    ['the birth of a body', 'UPDATE bodies SET born = 2 WHERE key = 2', 'bodies, row 2'],
    [
      'the death of a document',
      "UPDATE documents SET died = 2 WHERE id = 'docs/9.md'",
      "document 'docs/9.md'",
    ],
    ['labels', 'UPDATE bodies SET first_label = first_label + 1 WHERE key = 2', 'names other labels'],
    ['an orphan', 'DELETE FROM bodies WHERE key = 2', 'the row of bodies that it belongs to is missing'],
    ['the last label', "UPDATE sqlite_sequence SET seq = 3 WHERE name = 'chunks'", 'sqlite_sequence'],
    ['the passport', "UPDATE settings SET value = '{}' WHERE key = 'passport'", "settings, row 'passport'"],
    [
      'the generation',
      "UPDATE settings SET value = 1 WHERE key = 'generation'",
      'the newest generation is 1',
    ],
    ['a source', "UPDATE sources SET status = 'doge'", "sources, row 'docs/0.md'"],
  ])('names %s that is damaged', async (_name, sql, expected) => {
    const findings = await findingsAfter((folder) => change(folder, sql));
    expect(findings.join('\n')).toContain(expected);
    expect(findings.join('\n')).toContain('sluice.db');
  });

  it('goes on after the first finding', async () => {
    const findings = await findingsAfter((folder) =>
      change(folder, "UPDATE documents SET title = 'x'; UPDATE vectors SET checksum = checksum + 1"),
    );
    const rows = query<{ n: number }>(sound, 'SELECT count(*) AS n FROM documents')[0]!.n;
    const vectors = query<{ n: number }>(sound, 'SELECT count(*) AS n FROM vectors')[0]!.n;
    expect(findings.filter((line) => line.includes('documents, row'))).toHaveLength(rows);
    expect(findings.filter((line) => line.includes('vectors, row'))).toHaveLength(vectors);
  });

  it('names pages that cannot be read, and looks at what lies behind them', async () => {
    const findings = await findingsAfter((folder) => {
      change(folder, "UPDATE documents SET title = 'x' WHERE id = 'docs/29.md'");
      const [{ page }] = query<{ page: number }>(
        folder,
        "SELECT rootpage AS page FROM sqlite_master WHERE name = 'vectors'",
      ) as [{ page: number }];
      const file = join(folder, 'sluice.db');
      const bytes = readFileSync(file);
      bytes.fill(0xee, (page - 1) * 8192, page * 8192);
      writeFileSync(file, bytes);
    });
    const text = findings.join('\n');
    expect(text).toMatch(/vectors/);
    expect(text).toContain("document 'docs/29.md'");
  });

  it('names a database that is cut', async () => {
    const findings = await findingsAfter((folder) => truncateSync(join(folder, 'sluice.db'), 8192 * 9 + 100));
    expect(findings.join('\n')).toContain('sluice.db');
  });

  it('refuses what is no index', async () => {
    await expect(verifyIndex(join(sound, 'nothing'))).rejects.toMatchObject({ code: 'SLUICE_NOT_FOUND' });
    await expect(verifyIndex(join(sound, 'keywords'))).rejects.toMatchObject({ code: 'SLUICE_NOT_AN_INDEX' });
  });
});

describe('verify of derived files', () => {
  it.each([/\.term$/, /\.idx$/, /\.fast$/, /\.fieldnorm$/, /\.store$/, /\.pos$/, /\.del$/])(
    'names a %s file with another byte, cut, or missing',
    async (ending) => {
      for (const damage of [flipMiddle, cut, (file: string) => rmSync(file)]) {
        let file = '';
        const findings = await findingsAfter((folder) => {
          file = neededFile(folder, 'keywords', ending);
          damage(file);
        });
        expect(findings.filter((line) => line.startsWith(`${file} | `))).not.toEqual([]);
      }
    },
  );

  it('names meta.json', async () => {
    for (const damage of [flipMiddle, cut, (file: string) => rmSync(file)]) {
      const findings = await findingsAfter((folder) => damage(join(folder, 'keywords', 'meta.json')));
      expect(findings.join('\n')).toMatch(/keywords/);
    }
  });

  it('notices that the database lost its last commits', async () => {
    const findings = await findingsAfter((folder) =>
      change(folder, "UPDATE settings SET value = 2 WHERE key IN ('generation', 'publishedGeneration')"),
    );
    expect(findings.join('\n')).toContain(
      'it holds generation 3, the database only 2: the last commits are lost',
    );
  });

  it('notices chunks that are not those of the database', async () => {
    const findings = await findingsAfter((folder) =>
      change(
        folder,
        'UPDATE documents SET died = 3 WHERE body = 9; UPDATE bodies SET died = 3 WHERE key = 9',
      ),
    );
    expect(findings.join('\n')).toContain('chunks are in that are not live');
  });

  it('names the graph', async () => {
    const findings = await findingsAfter((folder) =>
      flipMiddle(neededFile(folder, 'graph', /\.(hnsw|graph)$/)),
    );
    expect(findings.join('\n')).toContain(join('graph', ''));
  });
});

function flipMiddle(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 0x10;
  writeFileSync(file, bytes);
}

function cut(file: string): void {
  truncateSync(file, readFileSync(file).length >> 1);
}

describe('a stored vector that no search could use', () => {
  it.each([
    [Number.NaN, /vectors, row 5, .* \| it holds NaN/],
    [1e19, /vectors, row 5, .* \| it is too long, its length is /],
    [1e17, undefined],
  ])('is found, its checksum notwithstanding: %d', async (value, finding) => {
    const data = Buffer.from(new Float32Array(DIMS).fill(value).buffer);
    const set = `data = x'${data.toString('hex')}', checksum = ${vectorChecksum(data)}`;
    const findings = await findingsAfter((folder) =>
      change(folder, `UPDATE vectors SET ${set} WHERE label = 5`),
    );
    const ofDatabase = findings.filter((one) => one.includes('vectors, row 5'));
    expect(ofDatabase).toEqual(finding === undefined ? [] : [expect.stringMatching(finding)]);
  });
});
