import { expect, it } from 'vitest';
import { isOrphaned } from '../../src/audit/orphans.js';
import { BlockKind } from '../../src/model/document.js';
import { chunk } from '../chunking/checks.js';
import { markdown } from '../chunking/fixtures.js';
import { wordTokenizer } from '../chunking/tokenizers.js';

/** Whether the second of two chunks counts, which begins with these words. */
function orphaned(opening: string, change: { kind?: number; headings?: [string, string] } = {}): boolean {
  const [first, second] = ['The kiln reaches cone ten.', opening];
  const document = markdown(`${first}\n\n${second}`);
  const cut = chunk(document, { strategy: 'whole', limitTokens: 99, tokenizer: wordTokenizer });
  const at = first.length + 2;
  const two = {
    ...cut,
    start: Uint32Array.of(0, at),
    kind: Uint8Array.of(0, change.kind ?? BlockKind.prose),
    headingPath: change.headings ?? ['Kilns', 'Kilns'],
  };
  expect(isOrphaned(document, two, 0)).toBe(false);
  return isOrphaned(document, two, 1);
}

it.each([
  'This happens after nine hours.',
  'it stays hot for a day',
  'As described above, the door stays shut.',
  'However, the door must be shut.',
  '- These are checked first.',
  '"They" are three.',
  'Dies dauert neun Stunden.',
  'Wie oben beschrieben bleibt die Tür zu.',
  'Cependant, la porte reste fermée.',
  'Sin embargo, la puerta queda cerrada.',
  '这需要九个小时。',
  'しかし、扉は閉めておく。',
])('counts %j', (opening) => expect(orphaned(opening)).toBe(true));

it.each([
  'Thistles grow nearby.',
  'Item 7 is the door.',
  'The door stays shut.',
  'Its-a-me is a name.',
  'Die Tür bleibt zu.',
  'La puerta queda cerrada.',
  '窑需要九个小时。',
  'Howevering is no word.',
])('leaves out %j', (opening) => expect(orphaned(opening)).toBe(false));

it('leaves out code, tables and the first chunk of a section', () => {
  expect(orphaned('this.door = shut;', { kind: BlockKind.code })).toBe(false);
  expect(orphaned('This | That', { kind: BlockKind.table })).toBe(false);
  expect(orphaned('This happens then.', { headings: ['Kilns', 'Doors'] })).toBe(false);
  expect(orphaned('This happens then.', { kind: BlockKind.list })).toBe(true);
});
