import { describe, expect, it } from 'vitest';
import { createChunker, resolveChunkOptions } from '../../src/chunking/index.js';
import { makeDocument } from '../../src/documents/index.js';
import type { ChunkOptions } from '../../src/model/chunker.js';
import { loadBpe, loadModelTokenizer } from '../../src/tokens/index.js';
import { slices } from './checks.js';

const tokenizer = loadModelTokenizer('models/all-MiniLM-L6-v2/tokenizer.json');

/** A policy whose answer about late orders takes two sentences, with other rules before and behind. */
const CANCELLING =
  'Orders may be cancelled for free as long as the kitchen has not begun. Later on a fee of a third is kept, and nothing can be cancelled once the rider has left.';
const WRONG_ITEMS =
  'Tell us within two hours about anything that is missing or wrong, with a photo of what came. Reports are looked at within an hour. What is approved is refunded without the fee for delivery.';
const LATE = [
  'Orders that arrive over 45 minutes after the promised time qualify for compensation.',
  'Compensation is a refund of the whole order, paid to the card or account that was charged within a week.',
];
const REST =
  'Heavy rain and closed roads are no delay of ours. Wallet credit ends after 90 days. Cash orders are refunded as credit.';

const flat = `${CANCELLING} ${WRONG_ITEMS} Times at checkout are estimates. ${LATE.join(' ')} ${REST}`;
const structured = `# Refunds\n\n## Cancelling\n\n${CANCELLING}\n\n## Wrong items\n\n${WRONG_ITEMS}\n\n## Late deliveries\n\nTimes at checkout are estimates. ${LATE.join(' ')} ${REST}\n`;

function cut(text: string, options: ChunkOptions): string[] {
  const document = makeDocument({ id: 'policy.md', text, format: 'markdown' });
  const context = { tokenizer, loadEncoding: loadBpe, windowTokens: 256, specialTokens: 2, prefixTokens: 0 };
  const chunks = createChunker(resolveChunkOptions(options, context)).chunk(document);
  if (chunks instanceof Promise) throw new Error('promised');
  return slices(document, chunks);
}

const answers = (chunks: string[]) =>
  chunks.filter((chunk) => LATE.every((sentence) => chunk.includes(sentence)));

describe('an answer of two sentences in a policy', () => {
  it('is torn by 40 words without overlap, and comes back with enough of it', () => {
    const words = { strategy: 'words', limitWords: 40 } as const;
    const answerWords = LATE.join(' ').split(' ').length;
    expect(answers(cut(flat, { ...words, overlapWords: 0 }))).toEqual([]);
    expect(answers(cut(flat, { ...words, overlapWords: answerWords - 1 })).length).toBeGreaterThan(0);
    // Large windows hold it, too, but with what it is not about.
    const large = answers(cut(flat, { strategy: 'words', limitWords: 110, overlapWords: 0 }));
    for (const chunk of large) expect(chunk).toMatch(/photo|Wallet/);
  });

  it.each(['auto', 'structure', 'parent-child'] as const)(
    'is whole under its heading with %s',
    (strategy) => {
      const found = answers(cut(structured, { strategy }));
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(/^## Late deliveries/);
      expect(found[0]).not.toMatch(/photo|cancelled/);
    },
  );
});
