import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bagOfWords, workplace } from './support.js';

const NAMES = ['d/a.md', 'd/b.md', 'd/s/a.md', 'd/s/c.txt', 'd/r.jsonl'];
const word = fc.constantFrom('oak', 'elm', 'ash', 'fir', 'poison');
const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ write: name, words: fc.array(word, { minLength: 1, maxLength: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ move: name, to: name }) },
  { weight: 2, arbitrary: fc.record({ copy: name, to: name }) },
  { weight: 1, arbitrary: fc.record({ remove: name }) },
  { weight: 3, arbitrary: fc.constant('add' as const) },
);

const contentOf = (file: string, words: string[]) =>
  file.endsWith('.jsonl')
    ? words.map((one, i) => JSON.stringify({ id: `r${i}`, text: `${one} `.repeat(90) })).join('\n')
    : `# Title\n\n${words.map((one) => `## ${one}\n\n${`${one} `.repeat(40)}\n`).join('\n')}`;

/** All that is live, with the vectors as they are stored. */
function live(folder: string): unknown[] {
  const db = new Database(`${folder}/sluice.db`, { readonly: true });
  try {
    return db
      .prepare(
        `SELECT d.id, d.source, d.title, d.content_hash, c.start, c."end", c.chunk_id, hex(v.data) AS vector
         FROM documents d JOIN chunks c ON c.body = d.body JOIN vectors v ON v.label = c.label
         WHERE d.died IS NULL ORDER BY d.id, c.start`,
      )
      .all();
  } finally {
    db.close();
  }
}

/**
 * The slow twin of a run that reads, embeds and writes only what is new: an index that is made of the same files from
 * nothing. `poison` is refused at first, so that documents fail and are mended on the way.
 */
it('any changes and runs end in the index that the files alone would give', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const place = await workplace();
      let failsAt: string | undefined = 'poison';
      const embedder = bagOfWords({ failsAt: () => failsAt });
      let index = await place.open(embedder);
      const add = () => index.add(place.path('d'));
      try {
        await place.write('d/last.md', 'oak');
        for (const one of steps) {
          if (one === 'add') await add();
          else if ('write' in one) await place.write(one.write, contentOf(one.write, one.words));
          else if ('remove' in one) await rm(place.path(one.remove), { force: true });
          else {
            const from = place.path('move' in one ? one.move : one.copy);
            await mkdir(dirname(place.path(one.to)), { recursive: true });
            const act = 'move' in one ? rename : copyFile;
            if (from !== place.path(one.to)) await act(from, place.path(one.to)).catch(() => {});
          }
        }
        failsAt = undefined;
        const last = await add();
        const incremental = live(place.path('index'));
        // A file with records that cannot be read is tried again each time.
        const again = { documents: 0, embedded: 0, ...(last.skipped === 0 && { filesDone: 0, skipped: 0 }) };
        expect(await add()).toMatchObject(again);
        await index.close();
        await rm(place.path('index'), { recursive: true });
        index = await place.open(embedder);
        const fresh = await add();
        expect(incremental).toEqual(live(place.path('index')));
        expect(last.embedded).toBeLessThanOrEqual(fresh.embedded);
      } finally {
        await index.close();
        await place.remove();
      }
    }),
    { numRuns: 5 },
  );
}, 180_000);
