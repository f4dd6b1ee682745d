import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../src/documents/json.js';
import { cpuMs } from '../cpu-time.js';
import { JSON_TEXT } from './samples.js';
import { blockTexts, expectSound, outlineOf, uncovered } from './structure.js';

const words = 'word '.repeat(300).trim();

describe('readJson', () => {
  it.each([JSON_TEXT, JSON.stringify(JSON.parse(JSON_TEXT))])(
    'outlines an API description by its keys',
    (text) => {
      const page = readJson(text);
      expectSound(page);
      expect(page.text).toBe(text);
      expect(page.title).toBe('Harbour API');
      expect(outlineOf(page)).toEqual([
        '# openapi',
        '# info',
        '# paths',
        ...['/ships', '/tides', '/ropes'].flatMap((path) => [`## ${path}`, '### get', '### post']),
        '# tags',
        '## north',
        '## south',
      ]);
      expect(uncovered(page)).toMatch(/^[\s,:{}[\]]*$/);
      const tides = page.sections.heading.indexOf('/tides');
      const section = page.text.slice(page.sections.start[tides]!, page.sections.end[tides]!);
      expect(section).toMatch(/^"\/tides"/);
      expect(section).toContain('Add to /tides');
      expect(section).not.toContain('/ropes');
    },
  );

  it.each([
    ['{"a": 1, "b": [1, 2]}', [['code', '{"a": 1, "b": [1, 2]}']]],
    ['  [1]  ', [['code', '[1]']]],
    ['"text"', [['code', '"text"']]],
    ['{"a": ', [['code', '{"a":']]],
    [
      '{"a": 1} {"b": 2}',
      [
        ['code', '{"a": 1}'],
        ['code', '{"b": 2}'],
      ],
    ],
  ])('keeps short %j whole', (text, blocks) => {
    const page = readJson(text);
    expectSound(page);
    expect(blockTexts(page)).toEqual(blocks);
  });

  it('knows comments, trailing commas, single quotes and keys without quotes', () => {
    const text = `// first\n{\n  // about a\n  a: 'x // no }',\n  "b{": "${words}", /* c: */\n  "c\\"d": [1,],\n  // last\n}`;
    const page = readJson(text);
    expectSound(page);
    expect(outlineOf(page)).toEqual(['# a', '# b{', '# c"d']);
    expect(blockTexts(page)).toContainEqual(['heading', `// about a\n  a:`]);
    expect(uncovered(page)).toMatch(/^[\s,:{}[\]]*$/);
  });

  it('cuts what has no keys between elements', () => {
    const page = readJson(JSON.stringify(Array.from({ length: 500 }, (_, i) => [i, `value ${i}`])));
    expectSound(page);
    expect(page.sections.start.length).toBe(1);
    const texts = blockTexts(page).map(([, text]) => text);
    expect(texts.length).toBeGreaterThan(5);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(1000);
    expect(texts.join(',')).toBe(page.text);
  });

  it('names no section of an array whose objects do not all have names', () => {
    const page = readJson(
      JSON.stringify({ items: [{ name: words }, { name: 'a', text: words }, { name: 'b' }] }),
    );
    expectSound(page);
    expect(outlineOf(page)).toEqual(['# items']);
  });

  it('covers all of any JSON, whole or cut, in any layout', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(), fc.constantFrom(0, 2), (value, cut, indent) => {
        const whole = JSON.stringify({ pad: words, value, more: [value, words] }, null, indent);
        for (const text of [whole, whole.slice(0, cut % whole.length)]) {
          const page = readJson(text);
          expectSound(page);
          expect(uncovered(page)).toMatch(/^[\s,:{}[\]]*$/);
        }
      }),
    );
  });

  it('takes nesting deeper than any stack', () => {
    for (const text of [
      '['.repeat(300_000),
      '{"a":'.repeat(300_000),
      `${'[1,'.repeat(9e4)}${']'.repeat(9e4)}`,
    ]) {
      const before = cpuMs();
      expectSound(readJson(text));
      expect(cpuMs() - before).toBeLessThan(600);
    }
  });
});
