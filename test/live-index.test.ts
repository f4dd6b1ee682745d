import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openIndex } from '../src/open-index.js';
import { newFolder, newIndex } from './index-support.js';

const CHILD = fileURLToPath(new URL('./writing-child.mjs', import.meta.url));

describe('reads and writes of one index', () => {
  it('a search sees what another process had committed before it, at once', async () => {
    const folder = newFolder();
    const child = spawn(process.execPath, [CHILD, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await lines.next();
    const reading = await openIndex(folder, { readonly: true, reranker: false });
    for (let n = 1; n <= 20; n++) {
      child.stdin.write('\n');
      await lines.next();
      const { hits } = await reading.search('alpha', { k: 100, legs: { vectors: false } });
      expect(hits).toHaveLength(n);
    }
    child.stdin.end();
    await reading.close();
    await once(child, 'exit');
  });

  it('a read sees own changes at once', async () => {
    const index = await newIndex();
    for (let n = 1; n <= 10; n++) {
      await index.add({ id: `d${n}`, text: 'alpha' });
      expect(await index.count()).toEqual({ documents: n, chunks: n });
      await index.update(`d${n}`, { set: { n } });
      expect((await index.get(`d${n}`))?.metadata).toEqual({ n });
    }
  });
});
