import { describe, expect, it } from 'vitest';
import { checkContract, embeddingTexts } from './checks.js';
import { markdown, plain } from './fixtures.js';
import { wordTokenizer } from './tokenizers.js';

const firstLines = (text: string, title: string, limitTokens: number) => {
  const document = markdown(text, title);
  const chunks = checkContract(document, { limitTokens, overlapTokens: 0, tokenizer: wordTokenizer });
  return embeddingTexts(chunks).map((embedded) => embedded.split('\n')[0]);
};
const long = 'some more words '.repeat(80).trim();

describe('the context prefix', () => {
  it('is the title for text without headings, such as a record', () => {
    const document = plain('The body.', 'A record');
    const chunks = checkContract(document, { limitTokens: 50, tokenizer: wordTokenizer });
    expect(embeddingTexts(chunks)).toEqual(['A record\nThe body.']);
    expect(chunks.headingPath).toEqual(['']);
    expect(chunks.tokens[0]).toBe(wordTokenizer.count('A record\nThe body.'));
  });

  it('says the title once, whatever its case and spacing', () => {
    expect(firstLines(`# The  Guide\n\n${long}`, 'the guide', 40).slice(0, 2)).toEqual([
      '# The  Guide',
      'The Guide',
    ]);
    expect(firstLines(`# Intro\n\n${long}`, 'Guide', 40).slice(0, 2)).toEqual(['Guide', 'Guide › Intro']);
  });

  it('takes a quarter of the limit at most: outer headings go first, then the end of the innermost', () => {
    const path = `# Outer heading of several words\n\n## Inner\n\n${long}`;
    expect(firstLines(path, 'T', 200)[1]).toBe('T › Outer heading of several words › Inner');
    expect(firstLines(path, 'T', 20)[1]).toBe('Inner');
    expect(firstLines(`# Alpha beta gamma delta epsilon\n\n${long}`, '', 16)[1]).toBe('Alpha beta');
    expect(firstLines(`# Alpha\n\n${long}`, 'T', 3)[2]).not.toContain('Alpha');
  });

  it('follows the position for windows over a document with headings', () => {
    const document = markdown(`# A\n\n${long}\n\n# B\n\n${long}`, 'T');
    const options = { strategy: 'window', limitTokens: 40, tokenizer: wordTokenizer } as const;
    const chunks = checkContract(document, options);
    expect(chunks.headingPath[0]).toBe('A');
    expect(chunks.headingPath.at(-1)).toBe('B');
    expect(embeddingTexts(chunks).at(-1)).toMatch(/^T › B\n/);
  });
});
