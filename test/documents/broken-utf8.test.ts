import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BrokenUtf8 } from '../../src/documents/broken-utf8.js';
import { decode } from '../../src/documents/decode.js';
import { SluiceError } from '../../src/errors.js';
import { encode, SAMPLES } from './encoded.js';

const languages = fc.constantFrom(...Object.keys(SAMPLES));
const read = (bytes: Uint8Array) => decode(bytes, { source: 'a.txt' });

function codeOf(bytes: Uint8Array): string | undefined {
  try {
    read(bytes);
    return undefined;
  } catch (error) {
    if (SluiceError.is(error)) return error.code;
    throw error;
  }
}

const LEGACY = [
  ['chinese', 'gb18030'],
  ['traditional', 'big5'],
  ['japanese', 'shift_jis'],
  ['japanese', 'euc-jp'],
  ['korean', 'euc-kr'],
  ['russian', 'windows-1251'],
  ['russian', 'koi8-r'],
  ['russian', 'iso-8859-5'],
  ['polish', 'windows-1250'],
  ['polish', 'iso-8859-2'],
  ['german', 'windows-1252'],
  ['french', 'windows-1252'],
  ['greek', 'windows-1253'],
  ['greek', 'iso-8859-7'],
  ['hebrew', 'windows-1255'],
  ['arabic', 'windows-1256'],
  ['arabic', 'iso-8859-6'],
  ['thai', 'windows-874'],
] as const;

describe('UTF-8 with broken bytes', () => {
  it('is read as UTF-8 in every language, with U+FFFD in their places, and counted', () => {
    fc.assert(
      fc.property(
        languages,
        fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
        fc.nat(2),
        (language, at, how) => {
          const text = SAMPLES[language]!.repeat(8);
          const whole = Buffer.from(text);
          // At borders between characters, so that each breaks nothing else.
          const places = [...new Set(at.map((one) => one % text.length))].sort((a, b) => b - a);
          const bad = [[0xff], [0xc3], [0xe9]][how]!;
          let expected = text;
          let bytes = whole;
          for (const place of places) {
            const byte = Buffer.byteLength(text.slice(0, place));
            // A lead byte before a continuation byte would be a character: none follows at a border.
            bytes = Buffer.concat([bytes.subarray(0, byte), Buffer.from(bad), bytes.subarray(byte)]);
            expected = `${expected.slice(0, place)}\ufffd${expected.slice(place)}`;
          }
          expect(read(bytes)).toEqual({
            text: expected,
            encoding: 'utf-8',
            confidence: 0.8,
            broken: places.length,
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is read as UTF-8 with a byte missing or changed anywhere', () => {
    fc.assert(
      fc.property(languages, fc.nat(), fc.integer({ min: 0x80, max: 0xff }), (language, at, byte) => {
        const bytes = Buffer.from(SAMPLES[language]!.repeat(3));
        const changed = Buffer.from(bytes);
        changed[at % bytes.length] = byte;
        expect(read(changed).encoding).toBe('utf-8');
        const place = at % bytes.length;
        const shorter = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)]);
        expect(read(shorter).encoding).toBe('utf-8');
      }),
      { numRuns: 300 },
    );
  });

  it('is read by its accents where those are few: a code page would make two of each', () => {
    const bytes = Buffer.from('Le café crème est déjà là, près du théâtre, où l\u2019on rêve. xy');
    bytes[bytes.length - 1] = 0xe9;
    expect(read(bytes)).toMatchObject({ encoding: 'utf-8', broken: 1 });
  });

  it('counts no U+FFFD that the file spells', () => {
    const spelled = Buffer.from(`${SAMPLES.german!}\ufffd\ufffd`.repeat(3));
    expect(read(spelled).broken).toBeUndefined();
    expect(read(Buffer.concat([spelled, Buffer.from([0xff, 0x20])])).broken).toBe(1);
  });

  it('is refused where a good part is of another encoding, and read where a small one is', () => {
    const chinese = Buffer.from(SAMPLES.chinese!.repeat(6));
    const tail = encode(SAMPLES.chinese!, 'gb18030');
    const small = read(Buffer.concat([chinese, tail.subarray(0, 20)]));
    expect(small).toMatchObject({ encoding: 'utf-8' });
    expect(small.text.startsWith(SAMPLES.chinese!.repeat(6))).toBe(true);
    for (const times of [4, 6, 9]) {
      const tails = Array.from({ length: times }, () => tail);
      expect(codeOf(Buffer.concat([chinese, ...tails]))).toBe('SLUICE_FILE_ENCODING');
    }
  });

  it('is read where a few bytes of a long English text tell no encoding', () => {
    const prose = 'The transformation of a tree is told by rules, each with a pattern. '.repeat(60);
    const text = Buffer.from(`${prose}Micha?, Dani?l, ?ric`.replaceAll('?', '\xbf'), 'latin1');
    const read = decode(text, { source: 'names.txt' });
    expect(read.text.startsWith(prose)).toBe(true);
    expect(read.text).toHaveLength(text.length);
    const short = Buffer.from('Micha\xbf, Dani\xbfl, \xbfric', 'latin1');
    expect(() => decode(short, { source: 'names.txt' })).toThrow(/encoding of names.txt was not recognised/);
  });

  it('is no text in a code page', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...LEGACY),
        fc.nat(),
        fc.integer({ min: 1, max: 400 }),
        ([language, encoding], from, length) => {
          const text = SAMPLES[language]!.repeat(5);
          const start = from % text.length;
          const bytes = encode(text.slice(start, start + length), encoding);
          const utf8 = new BrokenUtf8(bytes);
          // Of a few characters anything may be true.
          if (length < 12) return;
          expect([encoding, length, utf8.isPlain, utf8.isMixed]).toEqual([encoding, length, false, false]);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('a text that is written out', () => {
  const WIDE = ['utf-16le', 'utf-16be'] as const;
  const wide = (text: string, encoding: string) => {
    const bytes = Buffer.from(text, 'utf16le');
    return encoding === 'utf-16be' ? bytes.swap16() : bytes;
  };

  it('is read back in each language and encoding of Unicode, with a mark and without', () => {
    fc.assert(
      fc.property(
        languages,
        fc.constantFrom(...WIDE),
        fc.nat(),
        fc.integer({ min: 1, max: 90 }),
        (language, encoding, from, length) => {
          const text = SAMPLES[language]!;
          const part = text.slice(from % text.length, (from % text.length) + length);
          expect(read(wide(`\ufeff${part}`, encoding))).toMatchObject({ text: part, encoding });
          expect(read(Buffer.from(`\ufeff${part}`)).text).toBe(part);
          expect(read(Buffer.from(part)).text).toBe(part);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is read as UTF-16 where its bytes are ASCII by chance', () => {
    for (const text of [
      'はひふへ',
      'あいうえおかきくけこさしすせそたち',
      '中国',
      '\u4e20',
      '\u3041\u3042\n',
    ]) {
      expect(read(wide(`\ufeff${text}`, 'utf-16le')).text).toBe(text);
      expect(read(wide(`\ufeff${text}`, 'utf-16be')).text).toBe(text);
    }
  });

  it('is read as UTF-8 behind a mark of UTF-16 that lies', () => {
    fc.assert(
      fc.property(
        languages,
        fc.constantFrom('fffe', 'feff'),
        fc.integer({ min: 24, max: 90 }),
        (language, mark, length) => {
          const text = SAMPLES[language]!.slice(0, length);
          expect(read(Buffer.concat([Buffer.from(mark, 'hex'), Buffer.from(text)]))).toMatchObject({
            text,
            encoding: 'utf-8',
          });
        },
      ),
    );
    const broken = Buffer.concat([
      Buffer.from('fffe', 'hex'),
      Buffer.from(SAMPLES.french!.repeat(3)),
      Buffer.from([0xff]),
    ]);
    expect(read(broken)).toMatchObject({ encoding: 'utf-8', broken: 1 });
    expect(read(Buffer.from('\xfe\xffshort one\n', 'latin1')).text).toBe('short one\n');
  });

  it('is read in its code page behind a mark of UTF-8 that lies', () => {
    const bytes = Buffer.concat([Buffer.from('efbbbf', 'hex'), encode(SAMPLES.german!, 'windows-1252')]);
    expect(read(bytes)).toMatchObject({ text: SAMPLES.german, encoding: 'windows-1252' });
    const one = Buffer.concat([
      Buffer.from('\ufeffplain words and one '),
      Buffer.from([0x81]),
      Buffer.from(' words'.repeat(20)),
    ]);
    expect(read(one)).toMatchObject({ encoding: 'utf-8', broken: 1 });
  });
});
