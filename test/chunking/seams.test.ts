import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countBySeams } from '../../src/chunking/seams.js';
import { mapTokens } from '../../src/chunking/token-map.js';
import { loadBpe, loadModelTokenizer } from '../../src/tokens/index.js';
import { sentence, wildText } from './fixtures.js';
import { wordTokenizer } from './tokenizers.js';

const tokenizers = [
  loadBpe('cl100k'),
  loadBpe('o200k'),
  loadModelTokenizer('models/all-MiniLM-L6-v2/tokenizer.json'),
];
const leads = fc.constantFrom(
  '',
  'A title\n',
  'Manual › 2.1 Kiln\n',
  '| a | b |\n|---|---|\n',
  '```ts\n',
  '漢字\n',
);
const texts = fc.oneof(
  wildText,
  fc
    .array(fc.oneof(sentence, wildText, fc.constantFrom('\n\n', '\n', ' ', '/', "'s", '123456')), {
      maxLength: 30,
    })
    .map((parts) => parts.join('')),
);

/** RUNS=100000 looks longer. */
const numRuns = Number(process.env.RUNS ?? 1500);

describe.each(tokenizers)('in $name', (tokenizer) => {
  it('a chunk counted by its seams has the tokens that counting all of it finds', () => {
    fc.assert(
      fc.property(texts, leads, fc.nat(), fc.nat(), (text, lead, a, b) => {
        const map = mapTokens(text, 0, text.length, tokenizer);
        const [start, end] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y) as [
          number,
          number,
        ];
        if (start === end || splits(text, start) || splits(text, end)) return;
        const bySeams = countBySeams(text, map, tokenizer, lead, start, end);
        if (bySeams !== undefined) expect(bySeams).toBe(tokenizer.count(lead + text.slice(start, end)));
      }),
      { numRuns },
    );
  });

  it('is how chunks of common text are counted', () => {
    const text =
      'The kiln reaches cone ten.\n\nIt cools "overnight", then the shelves are emptied (by hand).\n'.repeat(
        40,
      );
    const map = mapTokens(text, 0, text.length, tokenizer);
    let asked = 0;
    let answered = 0;
    for (let start = 0; start + 500 < text.length; start += 13) {
      const end = text.slice(0, start + 500).trimEnd().length;
      asked++;
      if (countBySeams(text, map, tokenizer, '', start, end) !== undefined) answered++;
    }
    expect(answered / asked).toBeGreaterThan(0.99);
  });
});

it('leaves tokenizers without pieces alone', () => {
  const text = 'one two three. '.repeat(20);
  const map = mapTokens(text, 0, text.length, wordTokenizer);
  expect(countBySeams(text, map, wordTokenizer, '', 0, text.length - 1)).toBeUndefined();
});

function splits(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}
