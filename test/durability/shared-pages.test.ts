import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KINDS, kindName } from './kinds.js';
import { newRoot, type Program, STORE, startProgram } from './program.js';

const READERS = 4;
const DOCUMENTS = 160;
const CHUNKS = 125;

const readers: Program[] = [];
afterEach(async () => {
  for (const reader of readers) reader.kill('SIGKILL');
  await Promise.all(readers.splice(0).map(({ ended }) => ended));
});

interface Resident {
  /** Bytes of the mappings of one file that are in memory, and this process's share of them. */
  rss: number;
  pss: number;
}

/** What /proc says of a process's mappings of a file. */
function residentOf(pid: number, file: string): Resident {
  const resident = { rss: 0, pss: 0 };
  let isOfFile = false;
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    if (/^[0-9a-f]+-[0-9a-f]+ /.test(line)) isOfFile = line.endsWith(file);
    const [, name, kib] = /^(Rss|Pss):\s+(\d+) kB/.exec(line) ?? [];
    if (isOfFile && name !== undefined) resident[name === 'Rss' ? 'rss' : 'pss'] += Number(kib) * 1024;
  }
  return resident;
}

describe.skipIf(process.platform !== 'linux')('readers of one index in several processes', () => {
  it.each(
    KINDS.filter(({ storedVectors }) => storedVectors === 'float32').map(
      (kind) => [kindName(kind), kind] as const,
    ),
  )('share the pages of its graph (%s)', async (_name, kind) => {
    const folder = join(newRoot(), 'index');
    const options = { ...kind, graphThreshold: 1_000, graphEffort: 40, threads: 2 };
    const argument = { store: STORE, folder, options, documents: DOCUMENTS, chunks: CHUNKS };
    const filled = await startProgram('shared-pages.mjs', { ...argument, role: 'fill' }).ended;
    expect(filled.status, filled.errors).toBe(0);
    for (let i = 0; i < READERS; i++)
      readers.push(startProgram('shared-pages.mjs', { ...argument, role: 'read' }));
    for (const reader of readers) {
      const said = JSON.parse(await reader.says(/ready/));
      expect(said).toMatchObject({ found: 10, graphVectors: DOCUMENTS * CHUNKS });
    }
    const names = readdirSync(join(folder, 'graph')).filter((name) => !name.endsWith('.json'));
    expect(names).toHaveLength(1);
    const file = join(folder, 'graph', names[0]!);
    const bytes = statSync(file).size;
    const resident = readers.map(({ pid }) => residentOf(pid, file));
    // Each has looked at all of it, to compare checksums: what is not mapped would be a copy of its own.
    for (const { rss } of resident) expect(rss).toBeGreaterThan(0.9 * bytes);
    const shares = resident.reduce((sum, { pss }) => sum + pss, 0);
    expect(shares / bytes).toBeLessThan(1.3);
  });
});
