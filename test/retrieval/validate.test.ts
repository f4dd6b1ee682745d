import { describe, expect, it } from 'vitest';
import { standardConfigurations } from '../../src/evaluation/index.js';
import {
  DEFAULT_SEARCH_OPTIONS,
  MAX_QUERY_CHARACTERS,
  resolveSearchOptions,
  type SearchOptions,
} from '../../src/retrieval/index.js';
import { suggest } from '../../src/retrieval/suggest.js';
import { checkQuery } from '../../src/retrieval/validate.js';

function refusal(options: unknown): string {
  try {
    resolveSearchOptions(options as SearchOptions);
  } catch (error) {
    expect(error).toMatchObject({ code: 'SLUICE_USAGE' });
    return (error as Error).message;
  }
  throw new Error('was not refused');
}

describe('search options', () => {
  it('fill in the defaults, also for options given as undefined', () => {
    const resolved = resolveSearchOptions();
    expect(resolved).toMatchObject(DEFAULT_SEARCH_OPTIONS);
    expect(resolved.legs).toEqual({ keywords: true, vectors: true });
    expect(resolved.askedFor).toEqual({ keywords: false, vectors: false });
    expect(resolveSearchOptions({ k: undefined, blend: { rrf: undefined }, legs: undefined })).toEqual(
      resolved,
    );
    expect(Object.isFrozen(DEFAULT_SEARCH_OPTIONS)).toBe(true);
  });

  it('raise the shortlist to k, except one that the caller named', () => {
    expect(resolveSearchOptions({ k: 50 }).shortlist).toBe(50);
    expect(resolveSearchOptions({ k: 3 }).shortlist).toBe(20);
    expect(resolveSearchOptions({ k: 50, shortlist: 20 }).shortlist).toBe(20);
  });

  it.each([
    [{ topK: 3 }, /unknown option 'topK'; known are k, filter/],
    [{ filters: {} }, /unknown option 'filters'; did you mean 'filter'\?/],
    [{ Shortlist: 3 }, /did you mean 'shortlist'\?/],
    [{ legs: { keyword: true } }, /unknown leg 'keyword'; did you mean 'keywords'\?/],
    [{ blend: { logits: 1 } }, /unknown weight in blend 'logits'; did you mean 'logit'\?/],
    [{ k: -1 }, /k must be a whole number of 0 or more, not -1/],
    [{ k: 1.5 }, /k must be a whole number/],
    [{ k: '5' }, /k must be a whole number/],
    [{ k: Number.NaN }, /k must be a whole number/],
    [{ candidates: 0 }, /candidates must be a whole number of 1 or more/],
    [{ perDocument: 0 }, /perDocument must be a whole number of 1 or more/],
    [{ ef: 0 }, /ef must be/],
    [{ k: 1e12 }, /k is 1000000000000, and may be at most 1000000/],
    [{ candidates: 1e12 }, /candidates is 1000000000000, and may be at most 1000000/],
    [{ ef: 1e12 }, /ef is 1000000000000/],
    [{ vector: [1, 0] }, /vector must be a Float32Array/],
    [{ rerank: 'yes' }, /rerank must be one of auto, true, false, not yes/],
    [{ collapse: 'all' }, /collapse must be one of none, overlap, document, parent, not all/],
    [{ overlapShare: 0 }, /overlapShare must be over 0 and at most 1, not 0/],
    [{ blend: { rrf: -1 } }, /blend.rrf must be a finite number of 0 or more/],
    [{ legs: { keywords: false, vectors: false } }, /legs turns off both/],
    [{ legs: { vectors: false }, legWeights: { keywords: 0 } }, /weight 0 to every leg/],
    [null, /expected an object with the options/],
  ])('refuse %j', (options, message) => expect(refusal(options)).toMatch(message));

  it('accept what evaluation asks for', () => {
    for (const { options } of standardConfigurations({ reranker: true })) {
      expect(resolveSearchOptions(options)).toMatchObject({ k: 100, shortlist: 20, collapse: 'document' });
    }
  });

  it('suggest no name for a word that is like none', () => {
    expect(suggest('zzzzzz', ['candidates', 'k'])).toBeUndefined();
    expect(suggest('x'.repeat(100_000), ['candidates'])).toBeUndefined();
  });
});

describe('the query', () => {
  it.each([[''], ['   \n'], [undefined], [42], ['x'.repeat(MAX_QUERY_CHARACTERS + 1)]])(
    'is refused: %#',
    (query) => {
      expect(() => checkQuery(query)).toThrow(expect.objectContaining({ code: 'SLUICE_USAGE' }));
    },
  );
});
