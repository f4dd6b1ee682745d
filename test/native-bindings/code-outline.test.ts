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

it('stops where each step costs a hundred times what it does in code', () => {
  const before = process.cpuUsage().user;
  // What is read of it by then is freed by recursion, 40,000 calls deep.
  expect(native.codeOutline('c', 'a=>'.repeat((1 << 20) / 3))).toBeNull();
  expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(8);
});

it('says where a group of definitions begins and ends that a banner heads', () => {
  const text =
    '// ---- A file ----\n\nx();\n\n// --- Reading ---\n\nfunction a() {}\n\n// --- Writing ---\n/** Doc. */\nfunction b() {}\n\n// -------\n\nfunction c() {}\n';
  const { start, end, depth, kind } = native.codeOutline('javascript', text)!;
  expect(signatures('javascript', text)).toEqual([
    'Reading',
    'function a()',
    'Writing',
    'function b()',
    'function c()',
  ]);
  expect([...depth]).toEqual([1, 2, 1, 2, 1]);
  expect([...kind]).toEqual([0, 2, 0, 2, 2]);
  expect(Array.from(start, (from, row) => text.slice(from, end[row]))).toEqual([
    '// --- Reading ---\n\nfunction a() {}',
    'function a() {}',
    '// --- Writing ---\n/** Doc. */\nfunction b() {}',
    '/** Doc. */\nfunction b() {}',
    'function c() {}',
  ]);
});

/** What a comment makes of what follows it: the heading that it gives, if any. */
const heading = (grammar: string, comment: string) => {
  const [before, behind] = { javascript: ['x();', 'f = function () {}'], python: ['x()', 'def f(): pass'] }[
    grammar
  ]!;
  const found = signatures(grammar, `${before}\n\n${comment}\n\n${behind}\n`)!;
  return found.length === 2 ? found[0] : undefined;
};

it.each([
  ['// ------ Rendering ------', 'Rendering'],
  ['/* ===== I/O and files ===== */', 'I/O and files'],
  ['/**** Moves ****/', 'Moves'],
  ['//////////////////\n// Nests //\n//////////////////', 'Nests'],
  ['/*****************\n *   Tree owls   *\n *****************/', 'Tree owls'],
  ['// ──── Größe 🦉 ────', 'Größe 🦉'],
  ['// MARK: - Views', 'Views'],
])('takes %j for a banner', (comment, words) => {
  expect(heading('javascript', comment)).toBe(words);
});

it.each([
  '// Says who lives here.',
  '/// Makes a nest.',
  '/** Adds up. */',
  '// -----------------',
  '// ---- 8 ----',
  '// ------\n// Two lines\n// of words.\n// ------',
  '/** @param a - the first\n */',
  `// ---- ${'long '.repeat(20)}----`,
])('takes %j for no banner', (comment) => {
  expect(heading('javascript', comment)).toBeUndefined();
});

it('takes a row of signs for a banner of Python', () => {
  expect(heading('python', '# ---- Lists')).toBe('Lists');
  expect(heading('python', '#### Lists ####')).toBe('Lists');
  expect(heading('python', '## Lists')).toBeUndefined();
});
