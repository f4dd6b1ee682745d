import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packTexts, unpackTexts } from '../../src/model/text-column.js';
import { addon } from '../../src/native/addon.js';
import { dictionaryFingerprint, segmentAll, segmentForKeywords } from '../../src/tokens/index.js';
import { mayHoldHan } from '../../src/tokens/segment.js';

const terms = (text: string) => segmentForKeywords(text).split(' ');

describe('segmentForKeywords', () => {
  it('returns a text without Han itself', () => {
    for (const text of ['', 'plain words', 'カレンダー', '도서관이용안내', 'ünïcödé 🙂\ud800']) {
      expect(segmentForKeywords(text)).toBe(text);
    }
  });

  it('finds words of two characters and single characters inside a run (K2)', () => {
    expect(terms('仓库钥匙在抽屉')).toEqual(expect.arrayContaining(['仓库', '钥匙', '抽屉', '在', '钥']));
    expect(terms('カレンダー更新手順').join(' ')).toMatch(/更新 手順/);
    expect(terms('钥匙')[0]).toBe('钥匙');
    expect(terms('钥')).toEqual(['钥']);
  });

  it('gives overlapping words of a long one', () => {
    expect(terms('中华人民共和国')).toEqual(
      expect.arrayContaining(['中华', '人民', '共和国', '中华人民共和国']),
    );
  });

  it('knows traditional Chinese', () => {
    expect(terms('風暴警報發布後的處理流程')).toEqual(
      expect.arrayContaining(['風暴', '警報', '處理', '流程']),
    );
  });

  it('leaves Latin words whole and everything outside Han as it is (K3, K4)', () => {
    expect(segmentForKeywords('风-Whistle echo')).toBe('风-Whistle echo');
    expect(segmentForKeywords('更新build-job后')).toBe('更新 更 新build-job后');
    expect(segmentForKeywords('a  更新\r\n\tb')).toBe('a  更新 更 新\r\n\tb');
  });

  it('is not misled by invisible characters inside a run', () => {
    expect(segmentForKeywords('仓\u200b库钥\ufe00匙')).toBe(segmentForKeywords('仓库钥匙'));
    expect(segmentForKeywords('仓库\u200b a')).toBe(`${segmentForKeywords('仓库')}\u200b a`);
  });

  it('keeps every character of any text in place, runs of Han aside', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'ab 1-\n中文字漢語更新カ한🙂𠀀', '\ud800')), (parts) => {
        const text = parts.join('');
        const outside = (s: string) => s.replace(/[\p{Script=Han} ]+/gu, '');
        expect(outside(segmentForKeywords(text))).toBe(outside(text));
        for (const character of text.match(/\p{Script=Han}/gu) ?? []) {
          expect(segmentForKeywords(text)).toContain(character);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('loads in several workers at once (K4)', async () => {
    const code = `const { Jieba } = require('@node-rs/jieba'); const { dict } = require('@node-rs/jieba/dict.js');
      require('node:worker_threads').parentPort.postMessage(Jieba.withDict(dict).cutForSearch('仓库钥匙', true));`;
    segmentForKeywords('仓库钥匙');
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => {
        const worker = new Worker(code, { eval: true });
        return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      }),
    );
    for (const answer of answers) expect(answer).toEqual(['仓库', '钥匙']);
  });
});

describe('with the native analyzer', () => {
  const terms = (text: string) => addon().analyze(segmentForKeywords(text));
  it.each([
    ['仓库钥匙在抽屉', '钥匙'],
    ['仓库钥匙在抽屉', '钥'],
    ['カレンダー更新手順', '更新'],
    ['도서관이용안내', '이용'],
    ['更新build-job后', 'job'],
    ['更新build-job后', '更新'],
    ['鑰匙在抽屜裡', '抽屜'],
    ['风-Whistle echo', 'whistle'],
  ])('%s is found by %s (K2, K3, K4)', (text, query) => {
    const stored = new Set(terms(text));
    expect(terms(query).length).toBeGreaterThan(0);
    for (const term of terms(query).slice(-1)) expect(stored.has(term)).toBe(true);
  });
});

describe('segmentAll', () => {
  it('returns a column without Han itself', () => {
    const column = packTexts(['a “quoted” word', '', '🙂 ＡＢＣ한']);
    expect(mayHoldHan(packTexts(['a “quoted” word', '🙂 ＡＢＣ']).bytes)).toBe(false);
    expect(unpackTexts(segmentAll(column))).toEqual(unpackTexts(column));
    const latin = packTexts(['a “quoted” word', '']);
    expect(segmentAll(latin)).toBe(latin);
  });

  it('does the same as the function for one text', () => {
    const texts = ['仓库钥匙', '', 'plain', '更新build', '⼀豈𠀀々〇'];
    expect(unpackTexts(segmentAll(packTexts(texts)))).toEqual(texts.map(segmentForKeywords));
  });

  it('finds every Han character by its bytes', () => {
    const han = /\p{Script=Han}/u;
    for (let code = 0x2e80; code < 0x32000; code += code < 0x10000 ? 1 : 7) {
      const character = String.fromCodePoint(code);
      if (han.test(character))
        expect(mayHoldHan(packTexts([`a${character}`]).bytes), code.toString(16)).toBe(true);
    }
  });
});

describe('dictionaryFingerprint', () => {
  it('names version and dictionary, always the same', () => {
    expect(dictionaryFingerprint()).toMatch(/^jieba-\d+\.\d+\.\d+:[0-9a-f]{16}$/);
    expect(dictionaryFingerprint()).toBe(dictionaryFingerprint());
  });
});
