import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode } from '../../src/documents/decode.js';
import { SluiceError } from '../../src/errors.js';

const LINE = 'The staging host is maple-3 in Oslo';
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();
const utf32le = (text: string) =>
  Buffer.concat(
    [...text].map((c) => {
      const unit = Buffer.alloc(4);
      unit.writeUInt32LE(c.codePointAt(0)!);
      return unit;
    }),
  );
const read = (bytes: Uint8Array, options = {}) => decode(bytes, { source: 'notes/a.txt', ...options });

function codeOf(bytes: Uint8Array, options = {}): string {
  try {
    return `decoded as ${read(bytes, options).encoding}`;
  } catch (error) {
    if (!SluiceError.is(error)) throw error;
    if (error.code !== 'SLUICE_USAGE') expect(error.message).toContain('notes/a.txt');
    return error.code;
  }
}

describe('decode', () => {
  it.each([
    ['utf-8', Buffer.from(LINE)],
    ['utf-8', Buffer.from(`\ufeff${LINE}`)],
    ['utf-8', Buffer.from(`\ufeff\ufeff${LINE}`)],
    ['utf-16le', Buffer.from(`\ufeff${LINE}`, 'utf16le')],
    ['utf-16be', utf16be(`\ufeff${LINE}`)],
    ['utf-16le', Buffer.from(LINE, 'utf16le')],
    ['utf-16be', utf16be(LINE)],
    ['utf-32le', utf32le(`\ufeff${LINE}`)],
    ['utf-32le', utf32le(LINE)],
    ['utf-32be', utf32le(LINE).swap32()],
    ['utf-32be', utf32le(`\ufeff${LINE}`).swap32()],
  ])('reads %s with and without a mark (P1, P3)', (encoding, bytes) => {
    expect(read(bytes)).toMatchObject({ text: LINE, encoding });
  });

  it('reads astral characters and marks broken units in UTF-32 and UTF-16', () => {
    expect(read(utf32le('\ufeff😀x')).text).toBe('😀x');
    const long = 'word '.repeat(100);
    expect(read(Buffer.concat([utf32le(`\ufeff${long}`), Buffer.from([0, 0, 0x11, 0])])).text).toBe(
      `${long}\ufffd`,
    );
    expect(read(Buffer.from(`\ufeff${long}\ud800`, 'utf16le')).text).toBe(`${long}\ufffd`);
  });

  it('reads Chinese in UTF-16 without a mark, by its line ends', () => {
    const text = '检索引擎在本地运行。\n它把文档切成小块，再建立索引。\n查询时返回少数几段。\n';
    expect(read(Buffer.from(text, 'utf16le')).text).toBe(text);
  });

  const GBK = Buffer.from('d6d0b9fad2bbb8f6b4f3b9fa2cced2c3c7b5c4c8cbd4dad5e2c0efb9a4d7f7a1a3', 'hex');

  it('reads GBK that is plausible Chinese, and any declared encoding (P4)', () => {
    expect(read(GBK)).toMatchObject({ text: '中国一个大国,我们的人在这里工作。', encoding: 'gb18030' });
    const sjis = Buffer.from('93fa967b8cea82cc834583468375', 'hex');
    expect(codeOf(sjis)).toBe('SLUICE_FILE_ENCODING');
    expect(read(sjis, { encoding: 'shift_jis' })).toMatchObject({ text: '日本語のウェブ', confidence: 1 });
    expect(codeOf(sjis, { encoding: 'euc-kr' })).toBe('SLUICE_FILE_ENCODING');
    expect(codeOf(sjis, { encoding: 'klingon' })).toBe('SLUICE_USAGE');
  });

  it('reads UTF-16 without a blank in it if it is declared', () => {
    const bytes = Buffer.from('检索引擎在本地运行。'.repeat(20), 'utf16le');
    expect(codeOf(bytes)).not.toContain('decoded');
    expect(read(bytes, { encoding: 'utf-16le' }).text).toContain('检索引擎');
    expect(codeOf(Buffer.from('89504e470d0a1a0a', 'hex'), { encoding: 'windows-1252' })).toBe(
      'SLUICE_FILE_BINARY',
    );
  });

  it('reads western legacy text with low confidence', () => {
    const bytes = Buffer.from('Caf\xe9 cr\xe8me \x93quoted\x94 for 5 \x80, na\xefve as ever.', 'latin1');
    const { text, encoding, confidence } = read(bytes);
    expect([text, encoding]).toEqual(['Café crème “quoted” for 5 €, naïve as ever.', 'windows-1252']);
    expect(confidence).toBeLessThan(0.9);
  });

  it('reads the quotation marks of a declared windows-1252, and of Latin-1 as pages mean it', () => {
    const bytes = Buffer.from('He said \x93yes\x94 \x96 at 5 \x80', 'latin1');
    for (const encoding of ['windows-1252', 'latin1', 'iso-8859-1'])
      expect(read(bytes, { encoding }).text).toBe('He said “yes” – at 5 €');
    expect(codeOf(Buffer.from('a\x81b', 'latin1'), { encoding: 'windows-1252' })).toBe(
      'SLUICE_FILE_ENCODING',
    );
  });

  it('says how to read a file that it does not know', () => {
    const failed = () => read(Buffer.from('93fa967b8cea', 'hex'));
    expect(failed).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("encoding: 'shift_jis'") }),
    );
  });

  it('reads the charset of a page, also of one made of ASCII bytes', () => {
    const page = (charset: string, body: Buffer) =>
      Buffer.concat([Buffer.from(`<html><head><meta charset="${charset}"></head><p>`), body]);
    const cyrillic = Buffer.from([0xef, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
    expect(read(page('windows-1251', cyrillic), { markup: true }).text).toContain('привет');
    expect(codeOf(page('windows-1251', cyrillic))).toBe('SLUICE_FILE_ENCODING');
    const jis = Buffer.from('1b2442467c4b5c1b2842', 'hex');
    expect(read(page('iso-2022-jp', jis), { markup: true }).text).toContain('日本');
    expect(read(page('nonsense', Buffer.from('ok')), { markup: true }).encoding).toBe('utf-8');
  });

  it.each([
    ['Korean in EUC-KR', 'c7d1b1b9beee20b9aebcadb8a620c0d0bdc0b4cfb4d9'],
    ['Japanese in EUC-JP', 'c6fccbdcb8eca4cea5a6a5a7a5d6a4c7a4b9a1a3'],
    ['Traditional Chinese in Big5', 'a4a4a4e5a4a3acf9a7daad cca661'.replace(' ', '')],
  ])('does not make noise of %s', (_, hex) => {
    expect(codeOf(Buffer.from(hex, 'hex'))).toBe('SLUICE_FILE_ENCODING');
  });

  it.each([
    ['PNG', '89504e470d0a1a0a0000000d49484452'],
    ['ZIP', '504b0304140008080800'],
    ['an ASCII PDF', Buffer.from('%PDF-1.4\n1 0 obj << >> endobj').toString('hex')],
    ['ELF', '7f454c4602010100'],
    ['gzip', '1f8b08000000000000034b4c'],
    ['32-bit numbers', '01000000020000000300000004000000'],
    ['16-bit numbers', '01000200030004000500060007000800'],
    ['text with many NULs', Buffer.from('a\0b\0\0c\0d').toString('hex')],
    ['control characters', '01020304050607610102030405060762'],
    ['a mark before binary data', `fffe${'00d8'.repeat(20)}`],
  ])('refuses %s', (_, hex) => {
    expect(codeOf(Buffer.from(hex, 'hex'))).toBe('SLUICE_FILE_BINARY');
  });

  it('repairs a long text with a stray NUL or a broken byte', () => {
    const text = 'Größe und Maß. '.repeat(200);
    expect(read(Buffer.from(`${text}\0${text}`)).text).toBe(`${text} ${text}`);
    const broken = Buffer.concat([Buffer.from(text), Buffer.from([0xc3]), Buffer.from(` ${text}`)]);
    expect(read(broken)).toMatchObject({ text: `${text}\ufffd ${text}`, encoding: 'utf-8' });
    expect(read(Buffer.from('ein süßer Rest ü').subarray(0, -1)).text).toBe('ein süßer Rest \ufffd');
  });

  it('keeps ligatures as they are (P5)', () => {
    expect(read(Buffer.from('e\ufb03cient work\ufb02ow')).text).toBe('e\ufb03cient work\ufb02ow');
  });

  it('never lets a NUL or a mark through, whatever the bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        const result = codeOf(input);
        if (!result.startsWith('decoded')) return;
        const { text } = read(input);
        expect(text).not.toContain('\0');
        expect(text.charCodeAt(0)).not.toBe(0xfeff);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads back what it is given in UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-composite' }), (text) => {
        expect(read(Buffer.from(text)).text).toBe(text);
      }),
    );
  });
});
