import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeDocument } from '../../src/documents/index.js';
import { checkContract, embeddingTexts, slices } from './checks.js';
import { wildMarkdown, wildText } from './fixtures.js';
import { wordTokenizer } from './tokenizers.js';

const tokenizer = wordTokenizer;

describe('documents as the readers make them', () => {
  it('keep every promise in every format', () => {
    const texts = fc.oneof(
      wildMarkdown.map((document) => document.text),
      wildText,
    );
    const formats = fc.constantFrom(
      ...([
        'markdown',
        'html',
        'text',
        'rst',
        'asciidoc',
        'csv',
        'json',
        'notebook',
        'code',
        'jsonl',
      ] as const),
    );
    fc.assert(
      fc.property(
        texts,
        formats,
        fc.integer({ min: 1, max: 60 }),
        fc.nat(),
        (text, format, limitTokens, seed) => {
          const document = makeDocument({ id: 'x', text: `a${text}`, format });
          checkContract(document, { limitTokens, overlapTokens: seed % limitTokens, tokenizer });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('give the rows of an HTML table their head', () => {
    const rows = Array.from({ length: 60 }, (_, i) => `<tr><td>r${i}</td><td>value ${i}</td></tr>`).join('');
    const html = `<h1>Sizes</h1><table><tr><th>Name</th><th>Size</th></tr>${rows}</table>`;
    const document = makeDocument({ id: 'x', text: html, format: 'html' });
    const chunks = checkContract(document, { limitTokens: 120, tokenizer });
    expect(chunks.start.length).toBeGreaterThan(2);
    for (const text of embeddingTexts(chunks).slice(1))
      expect(text).toMatch(/^Sizes\n\| Name \| Size \|\n\|.*---.*\|\n\| r\d+ /);
  });

  it('give the rows of a CSV file their columns and their lines (C13)', () => {
    const rows = Array.from({ length: 60 }, (_, i) => `r${i},"value ${i}"`).join('\n');
    const document = makeDocument({ id: 'a.csv', text: `Name,Size\n${rows}\n`, format: 'csv' });
    const chunks = checkContract(document, { limitTokens: 120, tokenizer });
    expect(chunks.start.length).toBeGreaterThan(2);
    for (const [i, text] of embeddingTexts(chunks).entries()) {
      if (i > 0) expect(text).toMatch(/\| Name \| Size \|\n\|.*---.*\|\n\| r\d+ /);
      const first = /\| r(\d+) /.exec(slices(document, chunks)[i]!)![1];
      expect(chunks.startLine[i]).toBe(i === 0 ? 1 : Number(first) + 2);
    }
  });

  it('cut JSON of one line between its values, under the path of their keys (C8)', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`/p${i}`, { get: { summary: `Say ${i}. `.repeat(60) } }]),
    );
    const document = makeDocument({ id: 'a.json', text: JSON.stringify({ paths }), format: 'json' });
    const chunks = checkContract(document, { limitTokens: 400, tokenizer });
    expect(chunks.headingPath).toContain('paths › /p7');
    for (const slice of slices(document, chunks).slice(1)) expect(slice).toMatch(/^"\/p\d+"/);
  });

  it('cut source code at blank lines', () => {
    const text = Array.from({ length: 20 }, (_, i) => `function f${i}() {\n  return ${i};\n}\n`).join('\n');
    const document = makeDocument({ id: 'a.ts', text, format: 'code' });
    const chunks = checkContract(document, { limitTokens: 40, tokenizer });
    for (const slice of slices(document, chunks)) expect(slice).toMatch(/^function [\s\S]*\}$/);
  });

  it('lose nothing of Markdown with an open fence (C1)', () => {
    const text = '# A\n\nProse.\n\n```\ncode\n\n## Later part\n\nA sentence.\n';
    const document = makeDocument({ id: 'a.md', text, format: 'markdown' });
    const chunks = checkContract(document, { limitTokens: 100, tokenizer });
    expect(slices(document, chunks).join('\n')).toContain('## Later part\n\nA sentence.');
  });
});
