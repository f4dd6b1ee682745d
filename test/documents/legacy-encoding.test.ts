import { describe, expect, it } from 'vitest';
import { decode } from '../../src/documents/decode.js';
import { decodeLegacy } from '../../src/documents/legacy-encoding.js';
import { cpuMs } from '../cpu-time.js';
import { encode, SAMPLES } from './encoded.js';

describe('decodeLegacy', () => {
  it.each([
    ['chinese', 'gb18030'],
    ['traditional', 'big5'],
    ['japanese', 'shift_jis'],
    ['japanese', 'euc-jp'],
    ['korean', 'euc-kr'],
    ['russian', 'windows-1251'],
    ['russian', 'koi8-r'],
    ['polish', 'windows-1250'],
    ['polish', 'iso-8859-2'],
    ['german', 'windows-1252'],
    ['french', 'windows-1252'],
  ])('tells %s in %s', (language, encoding) => {
    const text = SAMPLES[language]!;
    const bytes = encode(text, encoding);
    expect(bytes.includes(0x3f)).toBe(false);
    expect(decode(bytes, { source: 'a.txt' })).toMatchObject({ text, encoding });
    // The sample begins where the letters do, however much ASCII comes before.
    const late = Buffer.concat([Buffer.from('log line\n'.repeat(20_000)), bytes]);
    expect(decode(late, { source: 'a.txt' }).encoding).toBe(encoding);
  });

  it('has each text right or refuses it, however short it is', () => {
    let right = 0;
    for (const [language, encoding] of [
      ['chinese', 'gb18030'],
      ['japanese', 'shift_jis'],
      ['korean', 'euc-kr'],
      ['russian', 'windows-1251'],
      ['russian', 'koi8-r'],
    ] as const) {
      for (let length = 8; length < SAMPLES[language]!.length; length += 4) {
        const text = SAMPLES[language]!.slice(0, length);
        const found = decodeLegacy(encode(text, encoding));
        if (found) expect(found.text).toBe(text);
        if (found) right++;
      }
    }
    expect(right).toBeGreaterThan(40);
  });

  it('makes no text of noise', () => {
    let state = 1;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const noise = [
      () => 32 + Math.floor(random() * 224),
      () => 128 + Math.floor(random() * 128),
      () => (random() < 0.6 ? 97 + Math.floor(random() * 26) : 128 + Math.floor(random() * 128)),
    ];
    let taken = 0;
    for (const next of noise) {
      for (let i = 0; i < 200; i++) {
        const bytes = Buffer.from(Array.from({ length: 24 + 10 * i }, next));
        if (decodeLegacy(bytes)) taken++;
      }
    }
    expect(taken).toBe(0);
  });

  it('takes a sample of a big file', () => {
    const bytes = Buffer.concat(Array<Buffer>(2000).fill(encode(SAMPLES.russian!, 'windows-1251')));
    const before = cpuMs();
    expect(decodeLegacy(bytes)?.encoding).toBe('windows-1251');
    expect(cpuMs() - before).toBeLessThan(300);
  });
});
