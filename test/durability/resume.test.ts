import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../src/store/index.js';
import { workerUrl } from '../../src/threads/worker-url.js';
import { newRoot, startProgram } from './program.js';

const LIBRARY = workerUrl(new URL('../../src/index.ts', import.meta.url).href, './index.js').href;
const FILES = 1_000;
const KILL_AT = 600;
/** Documents of a commit: one that fills while another is under way, and what waits before them. */
const COMMIT_DOCUMENTS = 256;

interface Run {
  signal: NodeJS.Signals | null;
  /** Texts that the embedder was asked for. */
  embedded: number;
  report: { documents: number; filesUnchanged: number; embedded: number } | undefined;
}

async function indexed(root: string, killAt: number | null): Promise<Run> {
  const run: Run = { signal: null, embedded: 0, report: undefined };
  const argument = { library: LIBRARY, index: join(root, 'index'), folder: join(root, 'docs'), killAt };
  const hear = (line: string) => void Object.assign(run, JSON.parse(line));
  const { signal, status, errors } = await startProgram('resume.mjs', argument, { hear }).ended;
  expect(signal === 'SIGKILL' || status === 0, errors).toBe(true);
  return { ...run, signal };
}

async function committed(root: string): Promise<number> {
  const store = await openStore(join(root, 'index'), { threads: 1 });
  const reader = await store.reader();
  const { documents, chunks } = await reader.stats();
  await store.close();
  expect(chunks, 'a chunk each').toBe(documents);
  return documents;
}

it('kill -9 of indexing costs what was not committed, and nothing else is embedded again (S12)', async () => {
  const root = newRoot();
  mkdirSync(join(root, 'docs'));
  for (let i = 0; i < FILES; i++) {
    writeFileSync(join(root, 'docs', `file-${i}.txt`), `Kiln ${i} is fired to ${900 + i} degrees.`);
  }
  const first = await indexed(root, KILL_AT);
  expect(first.signal).toBe('SIGKILL');
  const kept = await committed(root);
  expect(kept).toBeGreaterThanOrEqual(KILL_AT);
  expect(kept).toBeLessThan(FILES);
  // What was embedded in vain is bounded by commits, not by the corpus.
  expect(first.embedded - kept).toBeLessThanOrEqual(COMMIT_DOCUMENTS);

  const second = await indexed(root, null);
  expect(second.embedded, 'embedded after the kill').toBe(FILES - kept);
  expect(second.report).toEqual({
    documents: FILES - kept,
    filesUnchanged: kept,
    embedded: FILES - kept,
  });
  expect(first.embedded + second.embedded).toBeLessThanOrEqual(FILES + COMMIT_DOCUMENTS);
  expect(await committed(root)).toBe(FILES);
});
