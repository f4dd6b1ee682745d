import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderWith, runCommand } from './command.js';

const LINKS = Array.from({ length: 40 }, (_, n) => `<li>Chapter ${n} of the book</li>`).join('');

let folder: Awaited<ReturnType<typeof folderWith>>;
const sluice = (...args: string[]) => runCommand(args, folder.path);

beforeAll(async () => {
  folder = await folderWith({
    'docs/guide.md': '# Kilns\n\nThe kiln is hot.\n\n## Doors\n\nThe door stays shut.\n',
    'docs/notes.txt': `${'Every word counts here. '.repeat(30)}\n`,
    'partly/guide.md': 'Some text.\n',
    'partly/empty.md': '\n',
    'lossy/page.html': `<nav>${LINKS}</nav><main><p>Little text.</p></main>`,
    'legacy/a.txt': Buffer.from('93fa967b8cea82cc835183608358835e815b', 'hex'),
  });
});
afterAll(() => folder.remove());

describe('sluice audit', () => {
  it('prints what it counted, and status 0', async () => {
    const { status, stdout, stderr } = await sluice('audit', 'docs', '--limit', '40');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^Audited 2 documents with \d+ chunks in .* on \d+ threads?, at most [\d.]+ MB of memory\)$/m,
    );
    expect(stdout).toContain('violations none');
    expect(stdout).toMatch(/tokens +\d+ to \d+ of 40, mean/);
    expect(stdout).toContain('█');
  });

  it('is one JSON object with --json', async () => {
    const { status, stdout } = await sluice('audit', 'docs', '--json', '--strategy', 'window');
    const report = JSON.parse(stdout);
    expect(status).toBe(0);
    expect(report).toMatchObject({ clean: true, documents: 2, violations: { total: 0 }, skipped: 0 });
    expect(report.error).toBeUndefined();
  });

  it('has status 3 where something was skipped, and lists it', async () => {
    const { status, stdout } = await sluice('audit', 'partly');
    expect(status).toBe(3);
    expect(stdout).toContain('partly/empty.md holds no text [SLUICE_DOCUMENT_EMPTY]');
  });

  it('has status 1 and a code where too much was dropped', async () => {
    const told = await sluice('audit', 'lossy');
    expect(told.status).toBe(1);
    expect(told.stdout).toMatch(/9\d% lossy\/page\.html: navigation, too much/);
    expect(told.stderr).toContain('[SLUICE_AUDIT_FAILED]');
    const json = await sluice('audit', 'lossy', '--json');
    expect(json.status).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ clean: false, error: { code: 'SLUICE_AUDIT_FAILED' } });
    expect((await sluice('audit', 'lossy', '--most-dropped', '100')).status).toBe(0);
  });

  it('says what is wrong with the command line', async () => {
    expect((await sluice('audit', 'nowhere')).stderr).toContain('[SLUICE_NOT_FOUND]');
    expect((await sluice('audit')).status).toBe(2);
    expect((await sluice('audit', 'docs', '--encoding', 'klingon')).status).toBe(2);
  });
});

describe('--encoding', () => {
  it('is what files without a sign of their own are read in', async () => {
    const audit = await sluice('audit', 'legacy', '--encoding', 'shift_jis', '--json');
    expect(JSON.parse(audit.stdout)).toMatchObject({ clean: true, documents: 1, chars: 9 });
    const indexed = await sluice('index', 'legacy', '--encoding', 'shift_jis', '--json');
    expect(indexed.status).toBe(0);
    expect((await sluice('show', 'legacy/a.txt')).stdout.trim()).toBe('日本語のゲチスター');
  });
});
