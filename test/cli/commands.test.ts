import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderWith, runCommand, startCommand } from './command.js';

const GUIDE = `---
lang: en
year: 2024
tags: [billing, webhooks]
---
# Webhooks

## Retries

For Enterprise customers, webhook retries happen every 5 minutes for up to 24 hours.

## Signatures

Each webhook carries a signature in the header X-Signature, made with your secret key.
`;

const KILN = `# The studio

The glaze kiln reaches cone ten after nine hours. Error E1043 means that its door is open.
`;

let folder: Awaited<ReturnType<typeof folderWith>>;

beforeAll(async () => {
  folder = await folderWith({
    'docs/guide.md': GUIDE,
    'docs/kiln.md': KILN,
    'docs/page.html': '<title>Refunds</title><h1>Refunds</h1><p>Wallet credit expires after 90 days.</p>',
    'docs/tool.py': 'def rotate_keys(days):\n    """Rotates the signing keys."""\n    return days\n',
    'docs/records.jsonl': [
      '{"id":"r1","title":"Opening hours","text":"The studio closes at nine on weekdays.","metadata":{"lang":"en","reviewer":null}}',
      '{"id":"r2","title":"Öffnungszeiten","text":"Das Studio schließt werktags um neun.","metadata":{"lang":"de"}}',
    ].join('\n'),
  });
  const made = await runCommand(['index', 'docs', '--json'], folder.path);
  expect(made.stderr).toBe('');
  expect(made.status).toBe(0);
});

afterAll(() => folder.remove());

describe('sluice index', () => {
  it('reports what became of every file, and leaves unchanged ones alone the next time', async () => {
    const again = await runCommand(['index', 'docs', '--json'], folder.path);
    expect(again.status).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({
      filesSeen: 5,
      filesUnchanged: 5,
      documents: 0,
      chunks: 0,
    });
  });

  it('prints plain lines where there is no terminal', async () => {
    const { stdout, stderr } = await runCommand(['index', 'docs'], folder.path);
    expect(stdout).toMatch(/^Indexed into \.sluice in /);
    expect(`${stdout}${stderr}`).not.toContain('\u001b');
  });
});

describe('sluice search', () => {
  it('shows of a long parent what was found in it', async () => {
    const lines = Array.from({ length: 60 }, (_, n) => `Sentence ${n} tells of kiln ${n}.`);
    const place = await folderWith({ 'kilns.md': `# Kilns\n\n${lines.join(' ')}\n` });
    try {
      await runCommand(['index', 'kilns.md', '--strategy', 'parent-child', '--limit', '40'], place.path);
      const { stdout } = await runCommand(['search', 'kiln 55', '--no-vectors', '-k', '1'], place.path);
      expect(stdout).toMatch(/^ {3}… .*Sentence 55 tells/m);
      const full = await runCommand(['search', 'kiln 55', '--no-vectors', '-k', '1', '--full'], place.path);
      expect(full.stdout).toContain('Sentence 0 tells');
    } finally {
      await place.remove();
    }
  });

  it('answers a question with title, headings, source, offsets, scores and times of every stage', async () => {
    const { status, stdout } = await runCommand(
      ['search', 'how', 'long', 'are', 'webhooks', 'retried?', '--json'],
      folder.path,
    );
    expect(status).toBe(0);
    const { hits, reranked, timings } = JSON.parse(stdout);
    expect(reranked).toBe(true);
    expect(hits[0]).toMatchObject({ rank: 1, source: 'docs/guide.md', title: 'Webhooks' });
    expect(hits[0].text).toBe(GUIDE.slice(hits[0].start, hits[0].end));
    expect(hits[0].scores.keywords.rank).toBeGreaterThan(0);
    expect(hits[0].scores.vectors.cosine).toBeGreaterThan(0.3);
    expect(hits[0].scores.rerank).toEqual(expect.any(Number));
    const stages = timings.stages.map(({ stage }: { stage: string }) => stage);
    expect(stages).toEqual(
      expect.arrayContaining(['filter', 'embed', 'keywords', 'vectors', 'fuse', 'fetch', 'rerank', 'dedupe']),
    );
  });

  it('finds an exact code with keywords alone', async () => {
    const { stdout } = await runCommand(['search', 'E1043', '--no-vectors', '--json'], folder.path);
    const { hits, legs } = JSON.parse(stdout);
    expect(hits[0].source).toBe('docs/kiln.md');
    expect(legs.vectors.found).toBe(0);
  });

  it.each([
    ['{"lang":"de"}', ['r2']],
    ['{"lang":["de","fr"]}', ['r2']],
    ['{"year":{"gte":2024,"lt":2025}}', ['docs/guide.md']],
    ['{"tags":{"overlaps":["webhooks","x"]}}', ['docs/guide.md']],
    ['{"reviewer":null}', ['r1']],
    ['{"$format":"html"}', ['docs/page.html']],
    ['{"$source":{"prefix":"docs/k"}}', ['docs/kiln.md']],
  ])('keeps to the filter %s', async (filter, documents) => {
    const { stdout } = await runCommand(['search', 'studio', '--filter', filter, '--json'], folder.path);
    const { hits } = JSON.parse(stdout);
    expect([...new Set(hits.map((hit: { documentId: string }) => hit.documentId))]).toEqual(documents);
  });

  it.each([
    ['{lang:en}', 'SLUICE_FILTER_INVALID'],
    ['{"lang":{"like":"e"}}', 'SLUICE_FILTER_INVALID'],
    ['{"langg":"en"}', 'SLUICE_FILTER_UNKNOWN_FIELD'],
  ])('refuses the filter %s with %s', async (filter, code) => {
    const { status, stdout } = await runCommand(
      ['search', 'studio', '--filter', filter, '--json'],
      folder.path,
    );
    expect(status).toBe(2);
    expect(JSON.parse(stdout).error.code).toBe(code);
  });

  it('prints the id of a hit that its source does not tell', async () => {
    const { stdout } = await runCommand(['search', 'Öffnungszeiten', '--no-vectors'], folder.path);
    const id = /docs\/records\.jsonl:\d+(?:-\d+)? {3}id (\S+)/.exec(stdout)![1]!;
    expect((await runCommand(['show', id], folder.path)).stdout).toContain('Das Studio');
    const file = await runCommand(['search', 'E1043', '--no-vectors'], folder.path);
    expect(file.stdout).not.toContain(' id ');
  });

  it('prints for people too', async () => {
    const { stdout, stderr } = await runCommand(['search', 'when does wallet credit expire'], folder.path);
    expect(stdout).toContain('1. Refunds');
    expect(stdout).toContain('docs/page.html:');
    expect(stderr).toMatch(/keywords .* ms/);
  });
});

describe('a reader that leaves early', () => {
  it.each([
    ['people', []],
    ['programs', ['--json']],
  ])('is no failure (output for %s)', async (_, more) => {
    const search = startCommand(['search', 'studio', '--full', ...more], folder.path);
    search.closeStdout();
    const { status, signal, stderr } = await search.result;
    expect({ status, signal }, stderr).toEqual({ status: 0, signal: null });
    expect(stderr).not.toContain('EPIPE');
  });
});

describe('sluice show, stats and doctor', () => {
  it('shows a document and its chunks', async () => {
    expect((await runCommand(['show', 'docs/guide.md'], folder.path)).stdout).toBe(`${GUIDE}\n`);
    const { stdout } = await runCommand(['show', 'docs/guide.md', '--chunks', '--json'], folder.path);
    const document = JSON.parse(stdout);
    expect(document.metadata).toEqual({ lang: 'en', year: 2024, tags: ['billing', 'webhooks'] });
    expect(document.chunks.map((chunk: { text: string }) => chunk.text).join('')).toContain('X-Signature');
    const missing = await runCommand(['show', 'docs/none.md', '--json'], folder.path);
    expect(missing.status).toBe(1);
    expect(JSON.parse(missing.stdout).error.code).toBe('SLUICE_NOT_FOUND');
  });

  it('tells people what it takes on disk', async () => {
    const { stdout } = await runCommand(['stats'], folder.path);
    expect(stdout).toMatch(/ disk .*, filters \d/);
    expect(stdout).not.toContain('problem');
  });

  it('tells what the index holds', async () => {
    const { stdout } = await runCommand(['stats', '--json'], folder.path);
    const stats = JSON.parse(stdout);
    expect(stats).toMatchObject({ documents: 6, sources: 5, failedSources: [] });
    expect(stats.passport.embedder.name).toContain('MiniLM');
  });

  it('checks the machine and the models', async () => {
    const { status, stdout } = await runCommand(['doctor', '--json'], folder.path);
    expect(status).toBe(0);
    const diagnosis = JSON.parse(stdout);
    expect(diagnosis.problems).toEqual([]);
    expect(diagnosis.cores.usable).toBeGreaterThan(0);
    expect(diagnosis.providers.map(({ name }: { name: string }) => name)).toContain('cpu');
    expect(diagnosis.models).toHaveLength(2);
  });
});

describe('sluice remove', () => {
  it('removes documents by id, and what is gone is not found', async () => {
    await runCommand(['index', 'docs', '-i', 'other'], folder.path);
    const { status, stdout } = await runCommand(
      ['remove', 'docs/kiln.md', 'nope', '-i', 'other', '--json'],
      folder.path,
    );
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      removedDocuments: 1,
      removedChunks: 1,
      unknown: ['nope'],
    });
    const found = await runCommand(['search', 'E1043', '--no-vectors', '-i', 'other', '--json'], folder.path);
    expect(JSON.parse(found.stdout).hits).toEqual([]);
  });
});

describe('sluice eval', () => {
  it('measures a judged set in BEIR files', async () => {
    const judged = await folderWith({
      'q.jsonl':
        '{"_id":"q1","text":"when does the studio close"}\n{"_id":"q2","text":"webhook retry interval"}\n',
      'qrels.tsv': 'query-id\tcorpus-id\tscore\nq1\tr1\t1\nq2\tdocs/guide.md\t1\n',
    });
    const args = [
      'eval',
      '--queries',
      `${judged.path}/q.jsonl`,
      '--qrels',
      `${judged.path}/qrels.tsv`,
      '--json',
    ];
    const { status, stdout } = await runCommand(args, folder.path);
    expect(status).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.queries).toBe(2);
    for (const { name, metrics } of report.configurations) {
      expect(metrics['recall@10'], name).toBe(1);
      expect(metrics['nDCG@10'], name).toBeGreaterThan(0.6);
    }
    await judged.remove();
  });

  it('fails at once when the judged documents are not in the index', async () => {
    const judged = await folderWith({
      'q.jsonl': '{"_id":"q1","text":"anything"}\n',
      'qrels.tsv': 'query-id\tcorpus-id\tscore\nq1\tnot-here\t1\n',
    });
    const args = ['eval', '--queries', `${judged.path}/q.jsonl`, '--qrels', `${judged.path}/qrels.tsv`];
    const { status, stderr } = await runCommand(args, folder.path);
    expect(status).toBe(1);
    expect(stderr).toContain('not-here');
    await judged.remove();
  });
});

describe('sluice --help', () => {
  it.each([[], ['index'], ['search'], ['show'], ['remove'], ['stats'], ['eval'], ['doctor']])(
    'teaches by example: %s',
    async (...args) => {
      const { status, stdout } = await runCommand(
        [...args.filter(Boolean), '--help'] as string[],
        folder.path,
      );
      expect(status).toBe(0);
      expect(stdout).toContain('Examples:');
    },
  );

  it.each([[['serach']], [['search']], [['index', 'docs', '--limit', 'x']], [['search', 'a', '-k', '-1']]])(
    'calls %j a wrong command line',
    async (args) => {
      const { status, stderr } = await runCommand(args, folder.path);
      expect(status).toBe(2);
      expect(stderr).toContain('error:');
    },
  );

  it.each([
    [['serach'], "unknown command 'serach' (Did you mean search?)"],
    [['search'], "missing required argument 'query'"],
    [['index', 'docs', '--limit', 'x'], 'Give a whole number of 1 or more.'],
    [['index', 'docs', '--strategy', 'x'], 'Allowed choices are auto'],
    [['stats', '--nothing'], "unknown option '--nothing'"],
    [['eval', '--queries', 'q.jsonl'], '--qrels'],
  ])('says so in JSON alone where JSON is asked for: %j', async (args, message) => {
    const { status, stdout, stderr } = await runCommand([...args, '--json'], folder.path);
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'SLUICE_USAGE', message: expect.stringContaining(message), details: {} },
    });
    expect(stderr).toBe('');
  });

  it('takes --json behind -- for a word', async () => {
    const { stdout, stderr } = await runCommand(['search', '-k', 'x', '--', '--json'], folder.path);
    expect(stdout).toBe('');
    expect(stderr).toContain('error:');
  });
});
