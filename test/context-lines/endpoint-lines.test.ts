import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noContextCounts } from '../../src/context-lines/counts.js';
import { EndpointLines } from '../../src/context-lines/endpoint-lines.js';
import { resolveEndpoint } from '../../src/context-lines/options.js';
import type { EndpointContextOptions } from '../../src/model/context-line.js';
import { chunk } from '../chunking/checks.js';
import { plain } from '../chunking/fixtures.js';
import { wordTokenizer } from '../chunking/tokenizers.js';
import { type Answer, type Endpoint, passageOf, type Question, startEndpoint } from './endpoint.js';

const document = plain('one two three. four five six. seven eight nine. ten eleven twelve.', 'Numbers');
const chunks = chunk(document, { strategy: 'window', limitTokens: 5, tokenizer: wordTokenizer });
const rows = chunks.start.length;

let endpoint: Endpoint;
let cache: string;

beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'sluice-contexts-'));
});
afterEach(async () => {
  await endpoint.close();
  await rm(cache, { recursive: true });
});

async function start(answer?: (question: Question, number: number) => Answer): Promise<void> {
  endpoint = await startEndpoint(answer);
}

function asker(options: Partial<EndpointContextOptions> = {}, estimateOnly = false) {
  const resolved = resolveEndpoint({ endpoint: endpoint.url, model: 'm', cache, retries: 2, ...options });
  const lines = new EndpointLines(resolved, wordTokenizer, estimateOnly);
  const counts = noContextCounts();
  const of = (signal = new AbortController().signal, given = document) => {
    const cut =
      given === document
        ? chunks
        : chunk(given, { strategy: 'window', limitTokens: 5, tokenizer: wordTokenizer });
    return lines.of(given, cut, counts, signal);
  };
  return { of, counts };
}

describe('the context endpoint', () => {
  it('is asked once for each chunk, with the document and the chunk, and never again', async () => {
    await start();
    const { of, counts } = asker();
    const { lines, trouble } = await of();
    expect(rows).toBeGreaterThan(3);
    expect(trouble).toBeUndefined();
    expect(endpoint.questions).toHaveLength(rows);
    for (const [row, line] of lines.entries()) {
      const passage = document.text.slice(chunks.start[row], chunks.end[row]);
      expect(line).toBe(`This is about ${passage.slice(0, 20)}.`);
    }
    const [question] = endpoint.questions;
    expect(question!.messages[1]!.content).toContain(document.text);
    expect(question).toMatchObject({ model: 'm', max_tokens: 256, authorization: undefined });
    expect(counts).toEqual({ ...noContextCounts(), made: rows, tokensIn: rows * 100, tokensOut: rows * 10 });

    const later = asker();
    expect((await later.of()).lines).toEqual(lines);
    expect(later.counts).toEqual({ ...noContextCounts(), cached: rows });
    expect(endpoint.questions).toHaveLength(rows);
  });

  it('is asked again for another model or an edited document, and for the same chunk then too', async () => {
    await start();
    await asker().of();
    await asker({ model: 'other' }).of();
    expect(endpoint.questions).toHaveLength(2 * rows);
    await asker().of(undefined, plain(`${document.text} more`, 'Numbers'));
    expect(endpoint.questions.length).toBeGreaterThan(2 * rows);
  });

  it('is told the key of the environment', async () => {
    await start();
    process.env.SLUICE_TEST_KEY = 'secret';
    await asker({ apiKeyEnv: 'SLUICE_TEST_KEY' }).of();
    expect(endpoint.questions[0]!.authorization).toBe('Bearer secret');
    delete process.env.SLUICE_TEST_KEY;
  });

  it('has no more calls under way than it may have', async () => {
    await start(() => ({ afterMs: 20, line: 'line' }));
    await asker({ concurrency: 2 }).of();
    expect(endpoint.widest).toBe(2);
  });

  it.each([
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '0' } }],
    ['500', { status: 500, headers: { 'retry-after': '0' } }],
    ['no JSON', { raw: '{"choices": [' }],
    ['nothing', '  '],
    ['a dropped connection', 'drop the connection'],
  ] satisfies [string, Answer][])('is asked again after %s', async (_, failure) => {
    const asked = new Set<string>();
    await start((question) => {
      const passage = passageOf(question);
      if (asked.has(passage)) return 'a line';
      asked.add(passage);
      return failure;
    });
    const { of, counts } = asker();
    expect(await of()).toEqual({ lines: Array(rows).fill('a line'), trouble: undefined });
    expect(counts).toMatchObject({ made: rows, missing: 0 });
    expect(endpoint.questions).toHaveLength(2 * rows);
  });

  it('waits as long as Retry-After says', async () => {
    await start((_, number) => (number === 1 ? { status: 429, headers: { 'retry-after': '1' } } : 'a line'));
    const started = performance.now();
    await asker().of();
    expect(performance.now() - started).toBeGreaterThan(950);
  });

  it('leaves a chunk without a line where it fails for good, and is asked for that one alone next time', async () => {
    let broken = true;
    await start((question) =>
      broken && passageOf(question).includes('seven') ? { status: 400, body: 'bad' } : 'a line',
    );
    const first = asker({ retries: 0 });
    const { lines, trouble } = await first.of();
    expect(lines.filter((line) => line === null)).toHaveLength(first.counts.missing);
    expect(first.counts.missing).toBeGreaterThan(0);
    expect(trouble).toMatchObject({
      chunks: first.counts.missing,
      error: { code: 'SLUICE_MODEL_FAILED', message: 'the context endpoint answered 400: bad' },
    });
    broken = false;
    const second = asker();
    expect((await second.of()).lines).toEqual(Array(rows).fill('a line'));
    expect(second.counts).toMatchObject({ cached: rows - first.counts.missing, made: first.counts.missing });
  });

  it.each([
    ['an answer without choices', { raw: '{"error":"no"}' }, /choices\[0\]/],
    ['a time-out', { afterMs: 2_000, line: 'late' }, /cannot be reached/],
  ] satisfies [string, Answer, RegExp][])('says what is wrong after %s', async (_, answer, message) => {
    await start(() => answer);
    const { trouble } = await asker({ retries: 0, timeoutMs: 50 }).of();
    expect(trouble!.error.message).toMatch(message);
    expect(trouble!.chunks).toBe(rows);
  });

  it('is left alone once it is down, so that a run does not wait for every chunk', async () => {
    await start(() => ({ status: 503, headers: { 'retry-after': '0' } }));
    const { of, counts } = asker({ retries: 0, concurrency: 1 });
    const many = plain(Array.from({ length: 60 }, (_, n) => `w${n} x${n} y${n}.`).join(' '));
    const { trouble, lines } = await of(undefined, many);
    expect(lines.length).toBeGreaterThan(20);
    expect(counts.missing).toBe(lines.length);
    expect(trouble!.chunks).toBe(lines.length);
    expect(endpoint.questions).toHaveLength(5);
  });

  it('stops at once when it is aborted, and keeps what was answered', async () => {
    const controller = new AbortController();
    await start((_, number) => {
      if (number === 2) setTimeout(() => controller.abort(), 50);
      return number === 1 ? 'a line' : { afterMs: 30_000, line: 'late' };
    });
    const { of, counts } = asker({ concurrency: 1 });
    const started = performance.now();
    await expect(of(controller.signal)).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(counts).toMatchObject({ made: 1, missing: 0 });
    expect((await readdir(cache)).length).toBe(1);
  });

  it('is not asked for an estimate, which counts what is not in the cache', async () => {
    await start((question) => (passageOf(question).includes('one') ? 'a line' : { status: 400 }));
    await asker({ retries: 0 }).of();
    const asked = endpoint.questions.length;
    const { of, counts } = asker({}, true);
    expect((await of()).lines.filter((line) => line !== null)).toEqual(['a line']);
    expect(endpoint.questions).toHaveLength(asked);
    expect(counts).toMatchObject({ cached: 1, made: rows - 1, tokensOut: (rows - 1) * 256, missing: 0 });
    expect(counts.tokensIn).toBeGreaterThan((rows - 1) * 50);
  });

  it('gets the beginning and the surroundings of a long document', async () => {
    await start();
    const words = Array.from({ length: 400 }, (_, n) => `w${n}`).join(' ');
    await asker({ documentTokens: 100 }).of(undefined, plain(`${words}.`));
    const last = endpoint.questions.find((question) => passageOf(question).includes('w399'))!;
    const shown = last.messages[1]!.content;
    expect(shown.length).toBeLessThan(words.length);
    for (const word of ['w0 ', 'w380', '[…]']) expect(shown).toContain(word);
    expect(shown).not.toContain('w200 ');
  });
});
