import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, passageOf, startEndpoint } from '../context-lines/endpoint.js';
import { folderWith, runCommand } from './command.js';

const PARAGRAPH = Array.from({ length: 25 }, (_, n) => `Bowl number ${n} is fired for ${n} hours.`).join(' ');

let folder: Awaited<ReturnType<typeof folderWith>>;
let endpoint: Endpoint;
const sluice = (...args: string[]) => runCommand(args, folder.path);
/** Chunks of at most 64 tokens, lines of at most 16. */
const asking = () => [
  ...['--context', endpoint.url, '--context-model', 'm', '--context-tokens', '16', '--limit', '64'],
  ...['--context-cache', 'cache'],
];

beforeAll(async () => {
  endpoint = await startEndpoint((question) =>
    passageOf(question).includes('forbidden') ? { status: 403, body: 'not you' } : 'Of the Bergen kiln.',
  );
  folder = await folderWith({
    'docs/kiln.md': `# Kilns\n\n${PARAGRAPH}\n`,
    'bad/kiln.md': 'Some text that is forbidden.\n',
  });
});
afterAll(async () => {
  await endpoint.close();
  await folder.remove();
});

describe('sluice index --context', () => {
  it('estimates calls, tokens and price, and asks nothing', async () => {
    const { status, stdout } = await sluice(
      'index',
      'docs',
      ...asking(),
      '--estimate',
      '--json',
      '--price-in',
      '2',
      '--price-out',
      '10',
    );
    const estimate = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(estimate).toMatchObject({
      documents: 1,
      cached: 0,
      calls: estimate.chunks,
      tokensOut: estimate.chunks * 64,
    });
    expect(estimate.price).toBeCloseTo((estimate.tokensIn * 2 + estimate.tokensOut * 10) / 1e6, 9);
    expect(endpoint.questions).toHaveLength(0);
    const told = await sluice('index', 'docs', ...asking(), '--estimate');
    expect(told.stdout).toMatch(/calls {3}\d+; 0 more are answered in the cache/);
    expect(told.stdout).not.toContain('price');
    const keyless = await sluice(
      'index',
      'docs',
      ...asking(),
      '--estimate',
      '--context-key-env',
      'NO_SUCH_KEY',
    );
    expect(keyless.status).toBe(0);
    expect((await sluice('index', 'docs', ...asking(), '--context-key-env', 'NO_SUCH_KEY')).status).toBe(2);
  });

  it('asks for each chunk once, tells what that took, and finds by the lines', async () => {
    const { status, stdout } = await sluice('index', 'docs', ...asking());
    expect(status).toBe(0);
    const [, made, tokens] = /context +(\d+) lines made \(([\d,]+) tokens in/.exec(stdout)!;
    expect(endpoint.questions).toHaveLength(Number(made));
    expect(tokens).toBe((Number(made) * 100).toLocaleString('en-US'));
    const found = JSON.parse((await sluice('search', 'Bergen', '-k', '1', '--json')).stdout);
    expect(found.hits[0].text).toContain('Bowl number');
    const again = JSON.parse((await sluice('index', 'docs', ...asking(), '--estimate', '--json')).stdout);
    expect(again).toMatchObject({ calls: 0, cached: Number(made), tokensIn: 0 });
  });

  it('has status 3 and says why where lines are missing', async () => {
    const { status, stdout } = await sluice('index', 'bad', ...asking(), '--index', 'other');
    expect(status).toBe(3);
    expect(stdout).toContain('1 chunk without, which the next run asks for again');
    expect(stdout).toContain('the context endpoint answered 403: not you [SLUICE_MODEL_FAILED]');
  });

  it('takes sentences of the document without an endpoint', async () => {
    const { stdout } = await sluice(
      'index',
      'docs',
      '--context',
      'extractive',
      '--context-tokens',
      '16',
      '--limit',
      '64',
      '--index',
      'third',
    );
    expect(stdout).toMatch(/context +\d+ chunks with a sentence of their document/);
  });

  it('says what is wrong with the command line', async () => {
    for (const wrong of [
      ['--estimate'],
      ['--context-model', 'm'],
      ['--context', 'http://x'],
      ['--context-tokens', '9'],
    ]) {
      const { status, stderr } = await sluice('index', 'docs', ...wrong, '--index', 'none');
      expect(stderr).toContain('[SLUICE_USAGE]');
      expect(status).toBe(2);
    }
    expect((await sluice('index', 'docs', ...asking(), '--estimate', '--price-in', 'x')).status).toBe(2);
  });
});
