/** What terms a text becomes. A change here is a change of the analyzer's name. */

import { describe, expect, it } from 'vitest';
import { native } from './support.js';

const CASES: [string, string, string[]][] = [
  ['nothing', '', []],
  ['no letters', ' ,.;!? 🙂👨‍👩‍👧 —', []],
  ['words and case', 'Hello, WORLD', ['hello', 'world']],
  ['English stems', 'running runs easily connection', ['run', 'run', 'easili', 'connect']],
  ['stop words stay', 'to be or not to be', ['to', 'be', 'or', 'not', 'to', 'be']],
  ['a possessive', "the dog's tail, James's", ['the', 'dog', 'tail', 'jame']],
  ['a typographic apostrophe', 'the dog’s', ['the', 'dog']],
  ['another apostrophe', "don't l'amour", ['don', 't', 'l', 'amour']],
  ['a quoted s', "the 's' key", ['the', 's', 'key']],
  ['letters with digits', 'E1043 x86_64 3D', ['e1043', 'x86', '64', '3d']],
  ['numbers', '3.14 and 2024-01-31', ['3', '14', 'and', '2024', '01', '31']],
  ['identifiers', 'snake_case camelCase kebab-case', ['snake', 'case', 'camelcas', 'kebab', 'case']],
  ['accents', 'naïve café Ångström Dvořák', ['naiv', 'cafe', 'angstrom', 'dvorak']],
  ['accents as marks', 'cafe\u0301 e\u0301', ['cafe', 'e']],
  ['letters beyond accents', 'Straße Øre Łódź æther œuvre', ['strass', 'ore', 'lodz', 'aether', 'oeuvr']],
  ['Turkish', 'İstanbul ılık', ['istanbul', 'ilik']],
  ['ligatures', 'ﬁnance oﬃce ﬀ', ['financ', 'offic', 'ff']],
  ['width', 'ＡＢＣ１２ ﾊﾟｿ', ['abc12', 'パソ']],
  ['superscripts', 'm² x₁', ['m2', 'x1']],
  ['a soft hyphen', 'co\u00adoperate', ['cooper']],
  ['Cyrillic', 'Привет, Т34 й', ['привет', 'т34', 'й']],
  ['Greek', 'ΟΔΟΣ οδός', ['οδοσ', 'οδόσ']],
  ['Arabic and Hebrew', 'مرحبا שלום', ['مرحبا', 'שלום']],
  ['Devanagari', 'नमस्ते दुनिया', ['नमस्ते', 'दुनिया']],
  ['Chinese that was cut', '仓库 钥匙 在 抽屉', ['仓库', '钥匙', '在', '抽屉']],
  ['Latin in Chinese', '更新build-job后', ['更新', 'build', 'job', '后']],
  ['digits in Chinese', '第3章', ['第', '3', '章']],
  ['Kana', 'カレンダー', ['カレ', 'レン', 'ンダ', 'ダー']],
  ['Kana, Han and Kana', 'タグの更新する', ['タグ', 'の', '更新', 'する']],
  ['one Kana', 'ノ', ['ノ']],
  ['Hangul', '도서관 이', ['도서', '서관', '이']],
  ['Hangul in jamo', '도서'.normalize('NFD'), ['도서']],
  ['Thai', 'สมุด', ['สมุ', 'มุด']],
  ['Thai, one character', 'ก', ['ก']],
  ['scripts in one word', 'bioмир', ['bio', 'мир']],
  ['a long word', 'x'.repeat(300), ['x'.repeat(255)]],
  ['a long word of wide letters', 'ы'.repeat(300), ['ы'.repeat(127)]],
];

it.each(CASES)('%s', (_, text, terms) => {
  expect(native.analyze(text)).toEqual(terms);
});

describe('is the same for a text', () => {
  it.each(CASES)('in capitals: %s', (name, text, terms) => {
    // Where capitals are a letter of their own, there is nothing to compare.
    if (['Turkish', 'Greek', 'a long word of wide letters', 'ligatures', 'identifiers'].includes(name))
      return;
    expect(native.analyze(text.toUpperCase())).toEqual(terms);
  });

  it.each(CASES)('in every normal form: %s', (name, text, terms) => {
    if (name === 'a soft hyphen') return;
    for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) {
      expect(native.analyze(text.normalize(form))).toEqual(terms);
    }
  });
});

it('starts each text anew', () => {
  expect(native.analyze("dog'")).toEqual(['dog']);
  expect(native.analyze('s')).toEqual(['s']);
});
