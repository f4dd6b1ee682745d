import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CutPrinter } from '../../src/cli/cut-printer.js';
import { folderWith, runCommand } from './command.js';

const TEXT = Array.from({ length: 20 }, (_, n) => `Sentence ${n} tells of kiln ${n}.`).join(' ');

let folder: Awaited<ReturnType<typeof folderWith>>;
const sluice = (...args: string[]) => runCommand(args, folder.path);

beforeAll(async () => {
  folder = await folderWith({
    'guide.md': `# Kilns\n\n${TEXT}\n\n## Doors\n\nThe door stays shut.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n`,
    'two.jsonl': '{"id":"r1","text":"First record."}\n{"id":"r2","text":"Second record."}\n',
    'empty.md': '\n',
  });
});
afterAll(() => folder.remove());

interface Shown {
  documents: {
    id: string;
    chunks: {
      start: number;
      end: number;
      overlap: number;
      text: string;
      prefix: string;
      parent?: { start: number; end: number };
    }[];
  }[];
}

describe('sluice chunk', () => {
  it('shows each chunk with its place, size and headings, and what it shares in brackets', async () => {
    const { status, stdout, stderr } = await sluice('chunk', 'guide.md', '--limit', '48', '--overlap', '10');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^guide\.md: Kilns \(markdown, \d+ chunks\)$/m);
    expect(stdout).toMatch(/^--- 1 {2}lines 1-3, \d+ of 48 tokens, prose\n {4}in Kilns\n# Kilns$/m);
    expect(stdout).toMatch(/^⟦[^⟧]+⟧ /m);
    expect(stdout).toMatch(/^ {4}in Kilns › Doors$/m);
    expect(stdout).not.toContain('\u001b');
  });

  it('says in JSON what stands where', async () => {
    const { stdout } = await sluice('chunk', 'guide.md', '--json', '--strategy', 'window', '--limit', '48');
    const { documents, limitTokens, chunker } = JSON.parse(stdout) as Shown & {
      limitTokens: number;
      chunker: string;
    };
    expect(limitTokens).toBe(48);
    expect(chunker).toContain('window(limit=48,');
    const { chunks } = documents[0]!;
    expect(chunks.length).toBeGreaterThan(3);
    for (const [row, { start, end, overlap, text }] of chunks.entries()) {
      expect(text.length).toBe(end - start);
      expect(overlap).toBe(row === 0 ? 0 : Math.max(0, chunks[row - 1]!.end - start));
    }
    expect(chunks.some(({ overlap }) => overlap > 0)).toBe(true);
  });

  it('shows the parents of children', async () => {
    const args = ['chunk', 'guide.md', '--preset', 'small-to-big', '--parent', '100'];
    const { stdout } = await sluice(...args);
    expect(stdout).toMatch(/^=== parent 1, \d+ characters\n--- 1 {2}lines 1-3, /m);
    expect(stdout).toMatch(/^=== parent 2, \d+ characters\n--- \d+ /m);
    const { documents } = JSON.parse((await sluice(...args, '--json')).stdout) as Shown;
    const { parent, start, end } = documents[0]!.chunks[1]!;
    expect(parent!.start).toBeLessThan(start);
    expect(parent!.end).toBeGreaterThanOrEqual(end);
    expect((await sluice('chunk', 'guide.md')).stdout).not.toContain('=== parent');
  });

  it('shows every record of a JSONL file', async () => {
    const { stdout } = await sluice('chunk', 'two.jsonl');
    expect(stdout).toContain('r1: ');
    expect(stdout).toContain('Second record.');
  });

  it('fails with the reason where there is nothing to cut', async () => {
    const empty = await sluice('chunk', 'empty.md', '--json');
    expect(empty.status).toBe(1);
    expect(JSON.parse(empty.stdout).error.code).toBe('SLUICE_DOCUMENT_EMPTY');
    expect((await sluice('chunk', 'nowhere.md')).stderr).toContain('[SLUICE_NOT_FOUND]');
  });
});

it('marks what is shared by colour on a terminal, and lets no text steer it', () => {
  const written: string[] = [];
  const write = process.stdout.write;
  process.stdout.write = ((text: string) => written.push(text) > 0) as never;
  try {
    const chunk = {
      ...{
        start: 0,
        end: 9,
        startLine: 1,
        endLine: 1,
        page: 2,
        tokens: 3,
        overLimit: true,
        kind: 'prose' as const,
      },
      ...{ headingPath: '', text: 'ab \u001b[2Jcd', overlap: 2, prefix: '' },
    };
    new CutPrinter(true).print({ id: 'd', title: 't', format: 'pdf', chunks: [chunk] }, 2);
  } finally {
    process.stdout.write = write;
  }
  const shown = written.join('');
  expect(shown).toContain('\u001b[36mab\u001b[0m \\u001b[2Jcd');
  expect(shown).toContain('page 2, line 1, 3 of 2 tokens, over the limit');
});
