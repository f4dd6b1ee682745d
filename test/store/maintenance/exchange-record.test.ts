import { describe, expect, it } from 'vitest';
import { toRecord } from '../../../src/store/maintenance/exchange-record.js';

const document = {
  id: 'a',
  source: 'a',
  title: 'A',
  format: 'text',
  metadata: {},
  contentHash: 'x',
  text: 'kiln',
  chunks: [],
};

describe('a document of an export', () => {
  it('is taken', () => {
    expect(toRecord(document, 2).record).toMatchObject({ id: 'a', title: 'A' });
  });

  it.each(['id', 'source', 'title', 'text'])('is refused for a lone surrogate in its %s', (field) => {
    expect(() => toRecord({ ...document, [field]: 'a\ud800' }, 2)).toThrow(`${field} holds a lone surrogate`);
  });
});
