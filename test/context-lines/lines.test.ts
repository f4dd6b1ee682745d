import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditChunks } from '../../src/chunking/index.js';
import { extractLines } from '../../src/context-lines/extractive.js';
import { cutToTokens, putLines } from '../../src/context-lines/lines.js';
import { textAt } from '../../src/model/text-column.js';
import { chunk, embeddingTexts } from '../chunking/checks.js';
import { plain, wildMarkdown } from '../chunking/fixtures.js';
import { byteTokenizer, wordTokenizer } from '../chunking/tokenizers.js';

const tokenizers = fc.constantFrom(wordTokenizer, byteTokenizer);

describe('lines before chunks', () => {
  it('break no rule of the audit, whatever the lines say', () => {
    const line = fc.option(
      fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.lorem({ maxCount: 40 })),
    );
    fc.assert(
      fc.property(
        wildMarkdown,
        tokenizers,
        fc.integer({ min: 1, max: 30 }),
        fc.array(line),
        (document, tokenizer, contextTokens, given) => {
          const limitTokens = 40;
          const cut = chunk(document, {
            limitTokens: limitTokens - contextTokens,
            overlapTokens: 2,
            tokenizer,
          });
          const lines = Array.from(cut.start, (_, row) => given[row] ?? null);
          const window = { tokenizer: byteTokenizer, limitTokens: 50 };
          const room = { tokenizer, contextTokens, limitTokens, window };
          const lined = putLines(cut, lines, room);
          // Cut to leave room, a character may be over its part of the limit and not over the whole.
          const without = auditChunks(document, cut, { limitTokens, tokenizer });
          expect(auditChunks(document, lined, { limitTokens, tokenizer })).toEqual(without);
          expect(without.every(({ rule }) => rule === 'grapheme')).toBe(true);
          for (const [row, text] of embeddingTexts(lined).entries()) {
            const read = textAt(cut.embeddingText, row);
            expect(text.endsWith(read)).toBe(true);
            if (text === read) continue;
            expect(window.tokenizer.count(text)).toBeLessThanOrEqual(window.limitTokens);
            const put = text.slice(0, text.length - read.length);
            expect(put.endsWith('\n') && !put.trimEnd().includes('\n')).toBe(true);
            expect(tokenizer.count(put.trimEnd())).toBeLessThanOrEqual(contextTokens);
            expect(lines[row]!.replace(/\s+/g, ' ').trim().toWellFormed().startsWith(put.trimEnd())).toBe(
              true,
            );
          }
        },
      ),
    );
  });

  it('are cut at words', () => {
    expect(cutToTokens('one two three four', 3, wordTokenizer)).toBe('one two');
    expect(cutToTokens('one two', 3, wordTokenizer)).toBe('one two');
    expect(cutToTokens('漢字漢字漢字', 3, wordTokenizer)).toBe('漢字漢');
  });
});

describe('sentences of the document', () => {
  const lead = 'The Harbour Kiln is a gas kiln from 1987 in Bergen. Its tall brick chimney has two doors.';
  const middle = 'Sweep every tall brick chimney twice; both doors stay shut meanwhile and nobody enters.';
  const text = `${lead}\n\n${'Glaze is mixed from ash. '.repeat(4)}\n\n${middle}`;
  const document = plain(text, 'Manual');
  const cut = chunk(document, { strategy: 'window', limitTokens: 40, tokenizer: wordTokenizer });

  it('are of the beginning and share the words of the chunk', () => {
    const lines = extractLines(document, cut);
    expect(lines[0]).toBeNull();
    const row = cut.start.findIndex((start, i) => text.slice(start, cut.end[i]).includes('chimney twice'));
    expect(lines[row]).toBe('Its tall brick chimney has two doors.');
    expect(lines.slice(1).every((line) => line !== null && lead.includes(line))).toBe(true);
    expect(lines).toEqual(extractLines(document, cut));
  });

  it('never lie in the chunk, and are whole sentences of the text', () => {
    fc.assert(
      fc.property(wildMarkdown, tokenizers, (wild, tokenizer) => {
        const chunks = chunk(wild, { limitTokens: 20, tokenizer });
        const flat = wild.text.replace(/\s+/g, ' ');
        for (const line of extractLines(wild, chunks)) {
          if (line === null) continue;
          expect(flat.includes(line)).toBe(true);
          expect(line.length).toBeGreaterThanOrEqual(25);
        }
      }),
    );
  });

  it('are none for a document of one chunk', () => {
    const short = plain(lead);
    expect(extractLines(short, chunk(short, { limitTokens: 99, tokenizer: wordTokenizer }))).toEqual([null]);
  });
});
