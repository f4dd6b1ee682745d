import { describe, expect, it } from 'vitest';
import { isoDate, propertiesOf } from '../../../src/documents/pdf/properties.js';

describe('isoDate', () => {
  it.each([
    ["D:20240131101500+02'00'", '2024-01-31T08:15:00.000Z'],
    ['D:20240131101500-0530', '2024-01-31T15:45:00.000Z'],
    ['D:20240131101500Z', '2024-01-31T10:15:00.000Z'],
    ['D:202401', '2024-01-01T00:00:00.000Z'],
    ['2024', '2024-01-01T00:00:00.000Z'],
    ['D:20249931', undefined],
    ['last spring', undefined],
    ['', undefined],
  ])('reads %j as %j', (date, iso) => {
    expect(isoDate(date)).toBe(iso);
  });
});

describe('propertiesOf', () => {
  it('takes what a person wrote', () => {
    const info = {
      Title: ' A  plan\0',
      Author: 'A. W.',
      Subject: '',
      Keywords: 'x, y',
      Producer: 'p',
      CreationDate: 7,
    };
    expect(propertiesOf(info, 3)).toEqual({
      title: 'A plan',
      metadata: { author: 'A. W.', keywords: 'x, y', pages: 3 },
    });
  });

  it.each(['untitled', 'Microsoft Word - plan.doc', 'plan.docx', 'Slide 1', ' '])(
    'takes %j for no title',
    (Title) => {
      expect(propertiesOf({ Title }, 1).title).toBeUndefined();
    },
  );
});
