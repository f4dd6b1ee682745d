import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { givenPortions, unpackInput } from '../../src/indexing/given-documents.js';
import { Ledger } from '../../src/indexing/ledger.js';
import type { DocumentInput } from '../../src/model/document.js';

async function crossed(input: unknown): Promise<{ input: DocumentInput; beside: boolean }> {
  const ledger = new Ledger();
  for await (const [packed] of givenPortions([input as DocumentInput], ledger, {
    documents: 1,
    characters: 1,
  }))
    return { input: unpackInput(structuredClone(packed!)), beside: packed!.text !== null };
  throw new Error('nothing came');
}

const PIECE = 256 * 1024;

describe('a document on its way to a worker', () => {
  it('is what JSON makes of it, however long its text is', async () => {
    const around = fc.integer({ min: -2, max: 2 });
    const unit = fc.string({ unit: 'binary', minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(unit, around, fc.constantFrom(0.5, 1, 2), async (sign, off, pieces) => {
        const text = 'x'.repeat(pieces * PIECE + off) + sign.repeat(5) + 'é'.repeat(4);
        const input = { id: 'a', text, title: 'T', metadata: { n: 1 } };
        const found = await crossed(input);
        expect(found.input).toEqual(JSON.parse(JSON.stringify(input)));
        expect(found.beside).toBe(text.length >= PIECE);
      }),
      { numRuns: 20 },
    );
  });

  it('keeps lone surrogates for the worker to judge', async () => {
    const text = `${'x'.repeat(PIECE - 1)}\ud83d\ude00\ud800${'y'.repeat(PIECE)}\udc00`;
    expect((await crossed({ id: 'a', text })).input.text).toBe(text);
  });

  it('spells itself where it can', async () => {
    const text = 'x'.repeat(PIECE);
    const input = { id: 'a', text, toJSON: () => ({ id: 'b', text: 'short' }) };
    expect(await crossed(input)).toEqual({ input: { id: 'b', text: 'short' }, beside: false });
  });
});
