import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseText } from '../../src/documents/parse.js';
import type { ParsedText } from '../../src/documents/parsed.js';
import type { DocumentFormat } from '../../src/model/document.js';
import { ASCIIDOC, CSV, JSON_TEXT, NOTEBOOK, RST } from './samples.js';
import { expectSound, uncoveredWords } from './structure.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8');

/** Documents of each format: real ones, and samples that hold what is rare. */
const DOCUMENTS: readonly (readonly [DocumentFormat, readonly string[]])[] = [
  ['markdown', [read('README.md'), read('node_modules/markdown-it/README.md')]],
  ['html', [`<main>${read('README.md')}<table><tr><td rowspan=2>a<td>b<tr><td>c</table><pre>x</pre></main>`]],
  ['text', [read('LICENSE')]],
  ['rst', [RST]],
  ['asciidoc', [ASCIIDOC]],
  ['csv', [CSV, CSV.replaceAll(';', '\t')]],
  ['json', [JSON_TEXT, read('package.json'), read('tsconfig.json')]],
  ['notebook', [NOTEBOOK]],
];

/** What is put into documents: pieces of every markup. */
const INSERTS = [
  '"',
  '""',
  '```',
  '::',
  '|',
  '|===',
  '----',
  '====',
  '\n',
  '\r',
  '\n\n',
  '\t',
  '   ',
  '<',
  '>',
  '{',
  ']',
  ',',
  '\\',
  '.. ',
  '\u2028',
  '\ud800',
  '#',
  '\u0000',
];

const edit = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), length: fc.nat({ max: 200 }) }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), text: fc.constantFrom(...INSERTS) }),
  fc.record({ kind: fc.constant('swap' as const), at: fc.nat(), length: fc.nat({ max: 200 }) }),
  fc.record({ kind: fc.constant('end' as const), at: fc.nat() }),
);

function mutate(
  text: string,
  edits: readonly (typeof edit extends fc.Arbitrary<infer T> ? T : never)[],
): string {
  let now = text;
  for (const one of edits) {
    const at = one.at % (now.length + 1);
    if (one.kind === 'cut') now = now.slice(0, at) + now.slice(at + one.length);
    else if (one.kind === 'insert') now = now.slice(0, at) + one.text + now.slice(at);
    else if (one.kind === 'swap')
      now = now.slice(at, at + one.length) + now.slice(0, at) + now.slice(at + one.length);
    else now = now.slice(0, at);
  }
  // What reaches a reader is clean.
  return now.replaceAll('\0', ' ').toWellFormed();
}

function expectPlaces({ text, rawLines, pages }: ParsedText, source: string): void {
  const lines = source.split(/\r\n|\r|\n/).length;
  if (pages) expect(pages[0]).toBe(0);
  if (!rawLines) return;
  expect(rawLines.at[0]).toBe(0);
  for (let i = 0; i < rawLines.at.length; i++) {
    if (i > 0) expect(rawLines.at[i]!).toBeGreaterThan(rawLines.at[i - 1]!);
    expect(rawLines.at[i]!).toBeLessThanOrEqual(text.length);
    expect(rawLines.line[i]!).toBeGreaterThanOrEqual(1);
    expect(rawLines.line[i]!).toBeLessThanOrEqual(lines);
  }
}

describe('readers of damaged documents', () => {
  it.each(DOCUMENTS)('%s: never throw, and stay sound', (format, documents) => {
    fc.assert(
      fc.property(fc.constantFrom(...documents), fc.array(edit, { maxLength: 4 }), (document, edits) => {
        const source = mutate(document, edits);
        const page = parseText(source, format);
        expectSound(page);
        expectPlaces(page, source);
        expect(page.text).not.toContain('\0');
        expect(uncoveredWords(page)).toBe('');
      }),
      { numRuns: 300 },
    );
  });

  it('csv: lose no word', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 4 }), (edits) => {
        const source = mutate(CSV, edits);
        const letters = (text: string) => [...text.replace(/\bsep=./, '')].filter((c) => /\p{L}/u.test(c));
        const { text } = parseText(source, 'csv');
        for (const word of new Set(source.match(/\p{L}+/gu) ?? [])) expect(text).toContain(word);
        expect(letters(text).length).toBeGreaterThanOrEqual(letters(source).length);
      }),
      { numRuns: 300 },
    );
  });
});
