/** What bounds the outline of source code: size, work, and shapes that a grammar's scanner cannot take. */

import { expect, it } from 'vitest';
import { native } from './support.js';

const signatures = (grammar: string, text: string) => {
  const outline = native.codeOutline(grammar, text);
  if (outline === null) return null;
  return Array.from(outline.signatureStart, (start, row) =>
    text.slice(start, outline.signatureEnd[row]).trim(),
  );
};

it('names the grammars that there are', () => {
  expect(() => native.codeOutline('cobol', '')).toThrow(
    expect.objectContaining({
      code: 'SLUICE_NATIVE_ARGUMENT',
      message: expect.stringContaining("got 'cobol'"),
    }),
  );
});

it('gives positions as JavaScript slices, behind astral characters and lone surrogates', () => {
  expect(signatures('typescript', '// 🦉\ud800𝒞\nconst x = "🦉"; function f(a = "𝒞") { }')).toEqual([
    'function f(a = "𝒞")',
  ]);
});

it('has no outline for a text over 4 MiB', () => {
  const one = 'function f() {}\n';
  expect(signatures('javascript', one.repeat(1000))).toHaveLength(1000);
  expect(native.codeOutline('javascript', one.repeat((4 << 20) / one.length + 1))).toBeNull();
});

it('goes 100,000 levels deep without a stack to overflow', () => {
  expect(
    signatures('javascript', `function f() {}\nx = ${'('.repeat(100_000)}1${')'.repeat(100_000)}`),
  ).toEqual(['function f()']);
  native.codeOutline('javascript', '['.repeat(100_000));
});

it('reports six levels, and nothing inside of a short function', () => {
  const nested = 'class A { '.repeat(8) + '}'.repeat(8);
  expect(native.codeOutline('java', nested)?.depth).toEqual(Uint8Array.from([1, 2, 3, 4, 5, 6]));
  const inner = 'def f():\n    def g():\n        pass\n';
  expect(signatures('python', inner)).toEqual(['def f():']);
  expect(signatures('python', `${inner}${'    call()\n'.repeat(200)}`)).toEqual(['def f():', 'def g():']);
});

it('refuses what would end the process in a scanner', () => {
  const deep = (levels: number) =>
    `${Array.from({ length: levels }, (_, i) => `${' '.repeat(i)}if x:`).join('\n')}\n${' '.repeat(levels)}f("a")\n`;
  expect(native.codeOutline('python', deep(520))).toBeNull();
  expect(native.codeOutline('python', deep(300))).not.toBeNull();
  expect(native.codeOutline('ruby', `a = <<${'W'.repeat(300)}\n`)).toBeNull();
  expect(native.codeOutline('ruby', `f(${'<<A, '.repeat(9)})\n`)).toBeNull();
  expect(native.codeOutline('ruby', `${'"#{'.repeat(60)}\n`)).toBeNull();
  expect(native.codeOutline('ruby', 'a = <<~TEXT\n  text\nTEXT\n')).not.toBeNull();
});

it('stops where the parser takes more steps than code is worth', () => {
  expect(native.codeOutline('rust', '%w[ '.repeat(25_000))).toBeNull();
});
