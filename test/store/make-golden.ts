import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createOrOpenStore } from '../../src/store/index.js';
import { batch, document, passport } from './support.js';

/** What the golden index is made with: a graph of 24 vectors, and a tail. */
export const GOLDEN_OPTIONS = { graphThreshold: 20, threads: 1 };

/**
 * Makes the golden index of the present format version anew: `MAKE_GOLDEN=1 npx vitest run test/store/golden`. Only for a new
 * format version, in a folder of its own: the old one must go on opening.
 */
export async function makeGolden(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const store = await createOrOpenStore(folder, { passport: passport(), ...GOLDEN_OPTIONS });
  const writer = await store.writer();
  const state = { size: 12, mtimeMs: 1_700_000_000_000, status: 'done' as const, error: null };
  await writer.rootName('/somewhere/docs');
  const numbered = Array.from({ length: 24 }, (_, i) =>
    document(`docs/${i}.md`, [`alpha number${i}`], {
      title: `Number ${i}`,
      metadata: { n: i, tags: ['golden', null] },
    }),
  );
  await writer.commit(batch(numbered, [], [{ source: 'docs/0.md', ...state }]));
  await writer.publish();
  const keywordText = (chunk: string) => `Title\n${chunk}`;
  await writer.commit(
    batch([document('docs/late.md', ['bravo 😀', 'charlie'], { keywordText })], ['docs/3.md']),
  );
  await writer.publish();
  await store.close();
  rmSync(join(folder, 'writer.lock'));
}
