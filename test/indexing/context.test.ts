import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type ContextOptions, estimateContext, verifyIndex } from '../../src/index.js';
import {
  type Answer,
  type Endpoint,
  passageOf,
  type Question,
  startEndpoint,
} from '../context-lines/endpoint.js';
import { bagOfWords, type Workplace, workplace } from './support.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const paragraph = (subject: string) =>
  Array.from({ length: 12 }, (_, n) => `${subject} number ${n} is fired for ${n} hours.`).join(' ');
const FILES = {
  'docs/kiln.md': `# Kilns\n\nThe Bergen kiln is fired with gas.\n\n${paragraph('Bowl')}\n\n${paragraph('Vase')}\n`,
  'docs/glaze.txt': `Glazes are made of ash.\n\n${paragraph('Plate')}\n`,
  'docs/notes.jsonl': `{"id":"n1","text":"${paragraph('Cup')}"}\n{"id":"n2","text":"Short note."}\n`,
};

let place: Workplace;
let endpoint: Endpoint | undefined;

afterEach(async () => {
  await endpoint?.close();
  endpoint = undefined;
  await place.remove();
});

async function start(answer?: (question: Question, number: number) => Answer): Promise<ContextOptions> {
  place = await workplace(FILES);
  endpoint = await startEndpoint(answer);
  return { endpoint: endpoint.url, model: 'm', contextTokens: 16, retries: 0, cache: place.path('cache') };
}

/** The line of a chunk is told from its text, so that each one shows whose it is. */
const about = (question: Question) => `Zebra${passageOf(question).length} context.`;

describe('indexing with context lines of an endpoint', () => {
  it('loses nothing of the portions that a dying thread has under way side by side', async () => {
    const context = await start(about);
    // Two portions of one file, so that both are with the thread at once.
    const lines = Array.from({ length: 300 }, (_, i) => ({
      id: `r${i}`,
      text: i === 290 ? 'EXIT' : `record ${i}`,
    }));
    await place.write('docs/notes.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const chunker = 'test/fixtures/modules/hostile-chunker.mjs';
    const index = await place.open(bagOfWords(), { context, chunker });
    const report = await index.add(place.path('docs'));
    expect(report).toMatchObject({ documents: 301, skipped: 1, incompleteItems: [] });
    expect(report.skippedItems).toMatchObject([
      { source: 'docs/notes.jsonl:291', error: { code: 'SLUICE_MODULE_STOPPED' } },
    ]);
    expect((await index.count()).documents).toBe(301);
    await index.close();
  }, 60_000);

  it('finds chunks by words of their lines, keeps their texts, and fits the limit', async () => {
    const context = await start(about);
    const index = await place.open(bagOfWords(), { context });
    const report = await index.add(place.path('docs'));
    expect(report.contexts).toMatchObject({ made: report.chunks, cached: 0, missing: 0 });
    expect(report.overLimitChunks).toBe(0);
    const { hits } = await index.search(`Zebra${'Short note.'.length}`, { k: 1 });
    expect(hits[0]!.documentId).toBe('n2');
    expect(hits[0]!.text).toBe('Short note.');
    const { text, chunks } = (await index.get('docs/glaze.txt'))!;
    for (const chunk of chunks) {
      expect(text).toContain(chunk.text);
      expect(chunk.tokens).toBeLessThanOrEqual(64);
    }
    await index.close();
    expect((await verifyIndex(place.path('index'))).ok).toBe(true);
  });

  it('asks nothing about what is unchanged, and nothing twice in another index', async () => {
    const context = await start(about);
    const index = await place.open(bagOfWords(), { context });
    const first = await index.add(place.path('docs'));
    const asked = endpoint!.questions.length;
    expect((await index.add(place.path('docs'))).filesUnchanged).toBe(3);
    await index.close();
    const other = await place.open(bagOfWords(), { context }).catch((error) => error);
    expect(other.passport.chunker).toContain('+context(model=m,tokens=16,');
    const estimate = await estimateContext(place.path('docs'), { model: bagOfWords(), context });
    expect(estimate).toMatchObject({ documents: 4, chunks: first.chunks, calls: 0, cached: first.chunks });
    expect(endpoint!.questions).toHaveLength(asked);
    await other.close();
  });

  it('takes a document without the lines that failed, says so, and asks for those again next time', async () => {
    let broken = true;
    const context = await start((question) =>
      broken && passageOf(question).includes('Plate number 7')
        ? { status: 400, body: 'no' }
        : about(question),
    );
    const index = await place.open(bagOfWords(), { context });
    const first = await index.add(place.path('docs'));
    expect(first.documents).toBe(4);
    expect(first.skipped).toBe(0);
    const { missing } = first.contexts;
    expect(missing).toBeGreaterThan(0);
    expect(first.incompleteItems).toMatchObject([
      { source: 'docs/glaze.txt', error: { code: 'SLUICE_MODEL_FAILED', details: { chunks: missing } } },
    ]);
    const asked = endpoint!.questions.length;

    const still = await index.add(place.path('docs'));
    expect(still).toMatchObject({ filesUnchanged: 2, documents: 0, documentsUnchanged: 1 });
    expect(still.contexts).toMatchObject({ missing, made: 0 });
    broken = false;
    const last = await index.add(place.path('docs'));
    expect(last).toMatchObject({ documents: 1, contexts: { made: missing, missing: 0 } });
    expect(endpoint!.questions).toHaveLength(asked + 2 * missing);
    expect((await index.add(place.path('docs'))).filesUnchanged).toBe(3);
    expect((await index.count()).documents).toBe(4);
    await index.close();
  });

  it('stops soon when it is aborted while the endpoint thinks, and goes on later', async () => {
    let slow = true;
    const context = await start((question) => (slow ? { afterMs: 60_000, line: 'late' } : about(question)));
    const index = await place.open(bagOfWords(), { context });
    const controller = new AbortController();
    const run = index.add(place.path('docs'), { signal: controller.signal });
    setTimeout(() => controller.abort(), 1_500);
    const started = performance.now();
    await expect(run).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    expect(performance.now() - started).toBeLessThan(10_000);
    slow = false;
    const report = await index.add(place.path('docs'));
    expect(report).toMatchObject({ documents: 4, contexts: { missing: 0 } });
    await index.close();
  });

  it('goes on after a kill without asking again for what was answered', async () => {
    const context = (await start((question, number) =>
      number > 6 ? { afterMs: 60_000, line: 'late' } : about(question),
    )) as { endpoint: string; cache: string };
    const args = [
      'index',
      'docs',
      '--context',
      context.endpoint,
      '--context-model',
      'm',
      '--context-tokens',
      '16',
    ];
    const how = [
      ...args,
      '--limit',
      '64',
      '--context-concurrency',
      '1',
      '--context-cache',
      context.cache,
      '--json',
    ];
    const killed = spawn(process.execPath, [MAIN, ...how], { cwd: place.path('.'), stdio: 'ignore' });
    while (endpoint!.questions.length < 7) await new Promise((resolve) => setTimeout(resolve, 20));
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await endpoint!.close();
    const port = new URL(context.endpoint).port;
    endpoint = await startEndpoint(about, Number(port));
    const resumed = spawn(process.execPath, [MAIN, ...how], { cwd: place.path('.') });
    let stdout = '';
    resumed.stdout.on('data', (part) => {
      stdout += part;
    });
    const [status] = await once(resumed, 'close');
    const report = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(report.contexts).toMatchObject({ cached: 6, missing: 0 });
    expect(report.contexts.made).toBe(report.chunks - 6);
  });
});

describe('indexing with sentences of the document', () => {
  it('is remembered by the index, and refused where another way was used', async () => {
    place = await workplace(FILES);
    const context = { extractive: true, contextTokens: 16 } as const;
    const made = await place.open(bagOfWords(), { context });
    const { contexts, chunks } = await made.add(place.path('docs/kiln.md'));
    expect(contexts.extracted).toBe(chunks - 1);
    await made.close();
    const again = await place.open(bagOfWords());
    expect((await again.add(place.path('docs'))).contexts.extracted).toBeGreaterThan(0);
    await again.close();
    await expect(
      place.open(bagOfWords(), { context: { extractive: true, contextTokens: 24 } }),
    ).rejects.toMatchObject({
      code: 'SLUICE_PASSPORT_MISMATCH',
    });
  });

  it('says what is wrong with the options', async () => {
    place = await workplace(FILES);
    const wrong: [unknown, RegExp][] = [
      [{}, /endpoint must be an http address/],
      [{ endpoint: 'ftp://x', model: 'm' }, /http address/],
      [{ endpoint: 'http://x' }, /model/],
      [{ endpoint: 'http://x', model: 'm', apiKeyEnv: 'SLUICE_NOT_SET' }, /SLUICE_NOT_SET/],
      [{ endpoint: 'http://x', model: 'm', concurrency: 0 }, /concurrency/],
      [{ extractive: false }, /extractive/],
      [{ extractive: true, model: 'm' }, /no option "model"/],
      [{ extractive: true, contextTokens: 40 }, /more than half/],
      ['extractive', /must be an object/],
    ];
    for (const [context, message] of wrong) {
      await expect(place.open(bagOfWords(), { context: context as ContextOptions })).rejects.toMatchObject({
        code: 'SLUICE_USAGE',
        message: expect.stringMatching(message),
      });
    }
  });
});
