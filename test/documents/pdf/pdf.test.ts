import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPdf } from '../../../src/documents/pdf/pdf.js';
import type { ReadResult } from '../../../src/documents/reader.js';
import { SluiceError } from '../../../src/errors.js';
import { blockTexts, expectSound, outlineOf } from '../structure.js';
import { column, type DrawnPage, type DrawnText, makePdf, type PdfParts } from './make-pdf.js';

/** Reads a PDF made of these parts, and holds it to what every document promises. */
async function read(parts: PdfParts): Promise<ReadResult> {
  const result = await readPdf(makePdf(parts), 'p.pdf');
  sound(result);
  return result;
}

function sound(result: ReadResult): void {
  expectSound({ text: result.text, ...result.structure! });
  const pages = [...result.pages!];
  expect(pages[0]).toBe(0);
  expect(pages).toEqual([...pages].sort((a, b) => a - b));
  expect(pages.at(-1)!).toBeLessThanOrEqual(result.text.length);
}

const textOf = async (texts: DrawnText[]) => (await read({ pages: [{ texts }] })).text;
const blocksOf = (result: ReadResult) => blockTexts({ text: result.text, ...result.structure! });
const PROSE = [
  'The staging host is called maple and it stands in a cellar in Oslo, where it has been',
  'running for nine years. Nobody remembers who put it there, but the logs say that it was',
  'restarted twice: once after a flood, and once because somebody needed the socket.',
];
const failureOf = (bytes: Uint8Array) =>
  readPdf(bytes, 'p.pdf').then(
    () => undefined,
    (error: SluiceError) => error,
  );

describe('readPdf', () => {
  it('keeps the pages, the title and what the file says about itself', async () => {
    const result = await read({
      pages: [{ texts: column(PROSE, 50, 700) }, {}, { texts: column(['A last word.'], 50, 700) }],
      info: { Title: 'Hosts \\(2024\\)', Author: 'A. Writer', CreationDate: "D:20240131101500+02'00'" },
    });
    expect(result.text).toBe(`${PROSE.join(' ')}\n\nA last word.`);
    expect([...result.pages!]).toEqual([0, PROSE.join(' ').length + 2, PROSE.join(' ').length + 2]);
    expect(result.title).toBe('Hosts \\(2024\\)');
    expect(result.metadata).toEqual({ author: 'A. Writer', created: '2024-01-31T08:15:00.000Z', pages: 3 });
  });

  it('makes sections of larger text and of what the bookmarks name', async () => {
    const result = await read({
      pages: [
        {
          texts: [
            { text: 'Cellars of Oslo', x: 50, y: 750, size: 24 },
            { text: '1 Hosts', x: 50, y: 700, size: 16 },
            ...column(PROSE, 50, 670),
            { text: '1.1 Flooded ones', x: 50, y: 600, size: 16 },
            ...column(PROSE, 50, 570),
            { text: 'Appendix', x: 50, y: 500 },
            ...column(PROSE, 50, 470),
          ],
        },
      ],
      info: { Title: 'Microsoft Word - draft7.doc' },
      bookmarks: ['1 Hosts', 'Appendix'],
    });
    expect(outlineOf({ text: result.text, ...result.structure! })).toEqual([
      '# Cellars of Oslo',
      '## 1 Hosts',
      '### 1.1 Flooded ones',
      '### Appendix',
    ]);
    expect(result.title).toBe('Cellars of Oslo');
    expect(blocksOf(result).filter(([kind]) => kind === 'prose')).toHaveLength(3);
  });

  it('reads one column before the next, and what goes across both where it stands', async () => {
    const left = [
      'first of the left column here',
      'second of the left column now',
      'third of the left column also',
    ];
    const right = [
      'first of the right column here',
      'second of the right column now',
      'third of the right side also',
    ];
    const more = (lines: string[]) => [...lines, ...lines.map((line) => line.replace('column', 'colony'))];
    const result = await textOf([
      { text: 'A title that goes over both of the columns of this page', x: 50, y: 740, size: 20 },
      ...column(more(left), 50, 700),
      ...column(more(right), 320, 700),
      {
        text: 'A figure that goes over both of the columns of this page, and its words',
        x: 50,
        y: 600,
        size: 16,
      },
      ...column(left, 50, 560),
      ...column(right, 320, 560),
    ]);
    const order = [
      'A title',
      'first of the left column',
      'third of the left colony',
      'first of the right column',
    ];
    const at = [...order, 'third of the right', 'A figure'].map((text) => result.indexOf(text));
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(at[0]).toBe(0);
    expect(result.lastIndexOf('third of the left')).toBeLessThan(result.lastIndexOf('first of the right'));
  });

  it('reads columns that are drawn line by line across the page', async () => {
    const side = (name: string) =>
      Array.from({ length: 12 }, (_, i) => `${name} number ${i} of a running text line`);
    const left = column(side('left'), 50, 700);
    const right = column(side('right'), 330, 700);
    const text = await textOf(left.flatMap((line, i) => [line, right[i]!]));
    expect(text.indexOf('left number 11')).toBeLessThan(text.indexOf('right number 0'));
  });

  it('reads a table row by row', async () => {
    const rows = ['host', 'maple', 'birch', 'larch', 'alder', 'aspen'].map((name, i) => [
      name,
      `${i}0 GB`,
      'Oslo',
    ]);
    const text = await textOf(
      rows.flatMap((row, i) => row.map((cell, c) => ({ text: cell, x: 50 + c * 150, y: 700 - i * 14 }))),
    );
    expect(text.split('\n')).toEqual(rows.map((row) => row.join('  ')));
  });

  it('joins words over line ends, but not those that have a hyphen', async () => {
    const lines = [
      'This is an exam-',
      'ple of a well-',
      'known word, and the well-known word comes twice; the X-',
      'Ray and all the other words that are on this line and the hyphen-',
      '2 stay what they are.',
    ];
    expect(await textOf(column(lines, 50, 700))).toBe(
      'This is an example of a well-known word, and the well-known word comes twice; the X- Ray and all the other words that are on this line and the hyphen- 2 stay what they are.',
    );
  });

  // P5
  it('folds ligatures to letters and leaves no NUL', async () => {
    const text = await textOf([
      { text: 'e\x04cient work\x03ow, o\x04ce, e\x01ort, ba\x05ed\x00', x: 50, y: 700, font: 'Ligatures' },
    ]);
    expect(text).toBe('efficient workflow, office, effort, baffled');
  });

  it('leaves out what every page repeats, and says so', async () => {
    const pages = Array.from(
      { length: 6 },
      (_, i): DrawnPage => ({
        texts: [
          { text: i < 3 ? `Hosts of Oslo` : `Chapter ${i}: a name of its own   ${i + 11}`, x: 50, y: 770 },
          { text: `Page ${i + 11} of 60`, x: 280, y: 20 },
          { text: `paragraph ${'abcdef'[i]} is only here.`, x: 50, y: 700 },
        ],
      }),
    );
    const result = await read({ pages });
    expect(result.text).toBe([...'abcdef'].map((name) => `paragraph ${name} is only here.`).join('\n\n'));
    expect(result.dropped).toEqual([
      { reason: 'repeated page header', chars: expect.any(Number), isText: true },
      { reason: 'repeated page footer', chars: 6 * 'Page11of60'.length, isText: true },
    ]);
  });

  it('keeps a text that all pages have if there is no other', async () => {
    const result = await read({
      pages: Array.from({ length: 4 }, () => ({ texts: column(['Notice'], 50, 770) })),
    });
    expect(result.text.match(/Notice/g)).toHaveLength(4);
    expect(result.dropped).toEqual([]);
  });

  it.each([90, 180, 270])('reads a page that is shown turned by %i degrees', async (rotate) => {
    const page = { width: 800, height: 800, rotate, texts: turned(PROSE, rotate) };
    expect((await read({ pages: [page] })).text).toBe(PROSE.join(' '));
  });

  it('reads text on its side after the rest', async () => {
    const text = await textOf([
      { text: 'stamped in the margin', x: 20, y: 300, degrees: 90 },
      ...column(PROSE, 50, 700),
    ]);
    expect(text).toBe(`${PROSE.join(' ')}\n\nstamped in the margin`);
  });

  it('reads Chinese by the character maps of the package, without blanks at line ends', async () => {
    const lines = ['服务器在奥斯陆的地下室里已经运行了九年', '没有人记得是谁把它放在那里的'];
    const texts = column(lines, 50, 700).map((line) => ({ ...line, font: 'Chinese' as const }));
    expect(await textOf(texts)).toBe(lines.join(''));
  });

  it('keeps the lines and the indentation of code, and makes lists of bullets', async () => {
    const code = ['def host():', '    return "maple"'];
    const result = await read({
      pages: [
        {
          texts: [
            ...column(PROSE, 50, 700),
            { text: code[0]!, x: 50, y: 640, font: 'Courier' },
            { text: code[1]!.trim(), x: 50 + 4 * 6, y: 628, font: 'Courier' },
            { text: '\x95 one thing', x: 50, y: 600 },
            { text: '\x95 another thing', x: 50, y: 588 },
            { text: 'Contents . . . . . . . . . . . . 17', x: 50, y: 560 },
          ],
        },
      ],
    });
    expect(blocksOf(result)).toEqual([
      ['prose', PROSE.join(' ')],
      ['code', code.join('\n')],
      ['list', '- one thing\n- another thing'],
      ['prose', 'Contents ... 17'],
    ]);
  });

  it('keeps a sentence whole around a line that is higher than the rest', async () => {
    const texts = PROSE.map((text, i) => ({ text, x: 50, y: 600 - [0, 12, 31][i]! }));
    const usual = column([...PROSE, ...PROSE], 50, 700);
    const last = { text: 'Another one.', x: 50, y: 550 };
    const text = await textOf([...usual, ...texts, last]);
    expect(text.split('\n\n').slice(1)).toEqual([PROSE.join(' '), 'Another one.']);
  });

  it('takes no word twice that is drawn twice to look bold, and puts no blank before a footnote mark', async () => {
    const text = await textOf([
      { text: 'Warning', x: 50, y: 700 },
      { text: 'Warning', x: 50.3, y: 700 },
      { text: 'see below', x: 100, y: 700 },
      { text: '2', x: 142.5, y: 704, size: 6 },
    ]);
    expect(text).toBe('Warning see below2');
  });

  it('reads what was filled into a form at its place', async () => {
    const result = await read({
      pages: [
        {
          texts: [
            { text: 'Host:', x: 50, y: 700 },
            { text: 'Place:', x: 50, y: 660 },
          ],
          fields: [
            { value: 'maple', x: 100, y: 693 },
            { value: 'Oslo', x: 100, y: 653 },
            { value: 'secret', x: 100, y: 600, hidden: true },
          ],
        },
      ],
    });
    expect(result.text).toBe('Host:  maple\n\nPlace:  Oslo');
  });

  it('goes on with a sentence on the next page', async () => {
    const result = await read({
      pages: [
        { texts: column(['The host that stands in the base-'], 50, 100) },
        { texts: column(['ment is maple.'], 50, 700) },
      ],
    });
    expect(result.text).toBe('The host that stands in the basement is maple.');
    expect([...result.pages!]).toEqual([0, result.text.indexOf('ment is')]);
  });

  it('loses nothing without saying so, wherever texts stand and however large they are', async () => {
    const place = fc.record({
      // What lies outside of the page nobody sees.
      x: fc.integer({ min: 10, max: 500 }),
      y: fc.integer({ min: 10, max: 700 }),
      size: fc.constantFrom(6, 10, 10, 16, 30),
      degrees: fc.constantFrom(0, 0, 0, 90, 45),
      font: fc.constantFrom('Helvetica' as const, 'Courier' as const),
    });
    const page = fc.array(place, { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 4 }), async (pages) => {
        fc.pre(pages.some((texts) => texts.length > 0));
        const words: string[] = [];
        const drawn = pages.map((texts) => ({
          texts: texts.map((text) => ({ ...text, text: words[words.push(`<${words.length}>`) - 1]! })),
        }));
        const { text, dropped } = await read({ pages: drawn });
        const missing = words.filter((word) => !text.replace(/\s/g, '').includes(word));
        const told = dropped!.reduce((sum, { chars }) => sum + chars, 0);
        expect(missing.join('').length).toBe(told);
      }),
      { numRuns: 100 },
    );
  }, 60_000);

  it('reads a thousand pages', async () => {
    const pages = Array.from({ length: 1000 }, (_, i) => ({
      texts: column([...PROSE, `word${i}.`], 50, 700),
    }));
    const { text, pages: starts } = await read({ pages });
    expect(starts).toHaveLength(1000);
    expect(text.slice(starts![499]!, starts![500])).toContain('word499.');
  }, 60_000);
});

describe('a PDF that cannot be read', () => {
  it('says that it needs a password', async () => {
    const error = await failureOf(readFileSync(new URL('./password.pdf', import.meta.url)));
    expect(error).toMatchObject({ code: 'SLUICE_FILE_ENCRYPTED', details: { source: 'p.pdf' } });
    expect(error!.message).toContain('password');
  });

  it('says that it has no text', async () => {
    const error = await failureOf(makePdf({ pages: [{}, { content: '0 0 10 10 re f' }] }));
    expect(error).toMatchObject({ code: 'SLUICE_DOCUMENT_EMPTY' });
    expect(error!.message).toMatch(/2 pages are images or empty.*OCR/);
  });

  it.each([
    ['nothing', ''],
    ['text', 'this is no PDF at all, whatever its name says'],
    ['a header only', '%PDF-1.7\n'],
  ])('says that it is broken: %s', async (_, content) => {
    expect(await failureOf(Buffer.from(content))).toMatchObject({ code: 'SLUICE_FILE_UNREADABLE' });
  });

  it('keeps the other pages of one that is broken, and what it has before the fault', async () => {
    const texts = column(PROSE, 50, 700);
    const content = 'BT /F1 10 Tf 50 700 Td (before the fault) Tj ET q Q Q /Missing Do BT /F1 10 Tf (x) Tj';
    const result = await read({ pages: [{ texts }, { content }, { texts }] });
    expect(result.metadata).toMatchObject({ pages: 3, damagedPages: [2] });
    expect(result.dropped).toEqual([{ reason: 'damaged part of a page', chars: 0, isText: true }]);
    expect(result.text.match(/maple/g)).toHaveLength(2);
    expect(result.text).toContain('before the fault');
  });
});

describe('a damaged PDF', () => {
  const whole = makePdf({
    pages: [{ texts: column(PROSE, 50, 700) }, { texts: turned(PROSE, 90), rotate: 90 }],
    info: { Title: 'T', CreationDate: 'D:2024' },
    bookmarks: ['a', 'b'],
  });

  /** A document or a coded error, and nothing else. */
  async function holds(bytes: Uint8Array): Promise<void> {
    try {
      sound(await readPdf(bytes, 'p.pdf'));
    } catch (error) {
      expect(SluiceError.is(error) && error.code).toMatch(
        /^SLUICE_(?:FILE_UNREADABLE|FILE_ENCRYPTED|DOCUMENT_EMPTY)$/,
      );
    }
  }

  it.each([10, 20, 30, 40, 50, 60, 70, 80, 90])('cut off at %i percent', async (percent) => {
    await holds(whole.slice(0, (whole.length * percent) / 100));
  });

  it('with any bytes changed', async () => {
    const change = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 30 }), async (changes) => {
        const bytes = whole.slice();
        for (const [at, value] of changes) bytes[at] = value;
        await holds(bytes);
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});

/** Lines that are upright on a page of 800 by 800 points that is shown turned. */
function turned(lines: readonly string[], rotate: number): DrawnText[] {
  return lines.map((text, i) => {
    const [across, down] = [60, 100 + i * 12];
    const at = { 90: [down, across], 180: [800 - across, down], 270: [800 - down, 800 - across] }[rotate]!;
    return { text, x: at[0]!, y: at[1]!, degrees: rotate };
  });
}
