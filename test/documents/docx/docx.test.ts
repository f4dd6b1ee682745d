import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocx } from '../../../src/documents/docx/docx.js';
import type { ReadResult } from '../../../src/documents/reader.js';
import { SluiceError } from '../../../src/errors.js';
import { blockTexts, expectSound, outlineOf } from '../structure.js';
import { type DocxParts, item, makeDocx, p, r, styled, table, zip } from './make-docx.js';

function read(parts: DocxParts): ReadResult {
  const result = readDocx(makeDocx(parts), 'd.docx');
  expectSound({ text: result.text, ...result.structure! });
  return result;
}

const blocksOf = (body: string, parts: Partial<DocxParts> = {}) => {
  const result = read({ body, ...parts });
  return blockTexts({ text: result.text, ...result.structure! });
};

function failureOf(bytes: Uint8Array): SluiceError | undefined {
  try {
    readDocx(bytes, 'd.docx');
    return undefined;
  } catch (error) {
    if (SluiceError.is(error)) return error;
    throw error;
  }
}

describe('readDocx', () => {
  it('makes sections of headings, whatever the language of their styles', () => {
    const result = read({
      body: [
        styled('Title', 'Hosts of Oslo'),
        styled('Heading1', 'Cellars'),
        p('One.'),
        styled('Kapitel', 'Floods'),
        p('Two.'),
        p('Set by hand', '<w:outlineLvl w:val="2"/>'),
        p('No heading', '<w:pStyle w:val="Heading1"/><w:outlineLvl w:val="9"/>'),
        styled('Circle', 'Three.'),
      ].join(''),
    });
    expect(outlineOf({ text: result.text, ...result.structure! })).toEqual([
      '# Hosts of Oslo',
      '# Cellars',
      '## Floods',
      '### Set by hand',
    ]);
    expect(result.title).toBe('Hosts of Oslo');
    expect(result.text).toBe(
      'Hosts of Oslo\n\nCellars\n\nOne.\n\nFloods\n\nTwo.\n\nSet by hand\n\nNo heading\n\nThree.',
    );
  });

  it('keeps what the file says about itself', () => {
    const core =
      '<dc:title>Hosts &amp; cellars</dc:title><dc:creator>A. Writer</dc:creator><dc:subject/>' +
      '<dcterms:created>2024-01-31T10:15:00+02:00</dcterms:created><cp:lastModifiedBy>B</cp:lastModifiedBy>';
    const { title, metadata } = read({ body: p('x'), core });
    expect(title).toBe('Hosts & cellars');
    expect(metadata).toEqual({ author: 'A. Writer', created: '2024-01-31T08:15:00.000Z' });
  });

  it('keeps lists, tables and code in the form that HTML has', () => {
    const body = [
      item('a'),
      item('b', 1),
      item('c'),
      p('between'),
      styled('Bullets', 'd'),
      table([
        [p('host'), p('place')],
        [p('maple') + p('birch'), p('Oslo | cellar')],
        [`<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>${p('both')}`],
      ]),
      styled('Source', 'def host():'),
      styled('Source', '    return "maple"'),
      styled('Typed', 'end'),
      table([[table([[p('in'), p('ner')]])]]),
    ].join('');
    expect(blocksOf(body)).toEqual([
      ['list', '- a\n  - b\n- c'],
      ['prose', 'between'],
      ['list', '- d'],
      ['table', '| host | place |\n| --- | --- |\n| maple birch | Oslo \\| cellar |\n| both |  |'],
      ['code', 'def host():\n    return "maple"\nend'],
      ['table', '| in | ner |\n| --- | --- |'],
    ]);
  });

  it('reads runs, links, fields and signs as a person does', () => {
    const body = p(
      [
        r('The sta'),
        r('ging host', '<w:b/>'),
        `<w:hyperlink r:id="x">${r(' maple')}</w:hyperlink>`,
        '<w:r><w:tab/><w:t>is</w:t><w:br/><w:t>up</w:t><w:noBreakHyphen/><w:softHyphen/><w:t>to-date</w:t></w:r>',
        '<w:r><w:fldChar w:fldCharType="begin"/><w:instrText> PAGEREF </w:instrText></w:r>',
        `<w:fldSimple w:instr="DATE">${r(' today')}</w:fldSimple>`,
        `<w:sdt><w:sdtContent>${r(' &lt;ok&gt;')}</w:sdtContent></w:sdt>`,
      ].join(''),
      '<w:tabs><w:tab w:val="left" w:pos="1"/></w:tabs><w:rPr><w:vanish/></w:rPr>',
    );
    expect(read({ body }).text).toBe('The staging host maple is\nup-to-date today <ok>');
  });

  it('leaves out deleted and hidden text, page headers and comments, and counts them', () => {
    const word = (text: string) =>
      `<w:hdr xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${p(text)}</w:hdr>`;
    const result = read({
      body: p(
        `${r('kept')}<w:ins>${r(' new')}</w:ins><w:del><w:r><w:delText>gone gone</w:delText></w:r></w:del>` +
          `<w:moveFrom>${r('moved')}</w:moveFrom>${r('secret', '<w:vanish/>')}${r(' end', '<w:vanish w:val="0"/>')}`,
      ),
      others: { 'word/header1.xml': word('Oslo Ltd'), 'word/comments.xml': word('why?') },
    });
    expect(result.text).toBe('kept new end');
    expect(result.dropped).toEqual([
      { reason: 'tracked deletion', chars: 'gonegone'.length + 'moved'.length, isText: true },
      { reason: 'hidden text', chars: 6, isText: true },
      { reason: 'repeated page header', chars: 'OsloLtd'.length, isText: true },
      { reason: 'comment', chars: 4, isText: true },
    ]);
  });

  it('puts notes and text boxes after the paragraph that they hang on', () => {
    const box = (text: string) => `<w:txbxContent>${p(text)}</w:txbxContent>`;
    const body = [
      p(`${r('Maple')}<w:r><w:footnoteReference w:id="2"/></w:r>${r(' is up.')}`),
      p(
        `<w:r><mc:AlternateContent><mc:Choice>${box('In a box')}</mc:Choice><mc:Fallback>${box('In a box')}</mc:Fallback></mc:AlternateContent></w:r>${r('Around it.')}`,
      ),
    ].join('');
    const footnotes = `<w:footnote w:type="separator" w:id="0">${p('---')}</w:footnote><w:footnote w:id="2">${p('A host.')}</w:footnote>`;
    expect(blocksOf(body, { footnotes }).map(([, text]) => text)).toEqual([
      'Maple[2] is up.',
      '[2] A host.',
      'Around it.',
      'In a box',
    ]);
  });

  it('knows the namespace by its name, not by its prefix', () => {
    const body = `<d:document xmlns:d="http://purl.oclc.org/ooxml/wordprocessingml/main"><d:body><d:p><d:pPr><d:outlineLvl d:val="0"/></d:pPr><d:r><d:t>Strict</d:t></d:r></d:p></d:body></d:document>`;
    const result = readDocx(zip({ 'word/document.xml': body }, true), 'd.docx');
    expect(outlineOf({ text: result.text, ...result.structure! })).toEqual(['# Strict']);
  });

  it('reads XML of any size, however its portions fall', () => {
    const words = Array.from({ length: 40_000 }, (_, i) => `wörd${i}`);
    const { text } = read({ body: words.map((word) => p(word)).join('') });
    expect(text).toBe(words.join('\n\n'));
  });
});

describe('a Word document that cannot be read', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'SLUICE_FILE_UNREADABLE', /no ZIP archive/],
    ['text', Buffer.from('this is a text'), 'SLUICE_FILE_UNREADABLE', /no ZIP archive/],
    ['another archive', zip({ 'a.txt': 'x' }), 'SLUICE_FILE_UNREADABLE', /no Word document/],
    ['an old document', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'SLUICE_FILE_UNREADABLE', /save it as .docx/],
    [
      'an encrypted document',
      Buffer.concat([Buffer.from('d0cf11e0', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
      'SLUICE_FILE_ENCRYPTED',
      /password/,
    ],
    [
      'deep nesting',
      makeDocx({ body: '<w:sdt>'.repeat(5000) + p('x') }),
      'SLUICE_FILE_UNREADABLE',
      /nests over 1000 levels/,
    ],
  ])('says why: %s', (_, bytes, code, message) => {
    const error = failureOf(bytes);
    expect(error?.code).toBe(code);
    expect(error?.message).toMatch(message);
  });

  it('unpacks no part that is over the limit, and none that is larger than it says', () => {
    const bomb = zip({ 'word/document.xml': Buffer.alloc(200 * 1024 * 1024) });
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    expect(failureOf(bomb)?.code).toBe('SLUICE_FILE_TOO_LARGE');
    const liar = Buffer.from(bomb);
    liar.writeUInt32LE(1000, liar.lastIndexOf('PK\x01\x02') + 24);
    expect(failureOf(liar)).toMatchObject({ code: 'SLUICE_FILE_UNREADABLE' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });

  const whole = makeDocx({
    body: styled('Heading1', 'Cellars') + p('One.') + item('a') + table([[p('x'), p('y')]]),
    core: '<dc:title>T</dc:title>',
  });

  /** A document or a coded error, and nothing else. */
  function holds(bytes: Uint8Array): void {
    const error = failureOf(bytes);
    if (error) expect(error.code).toMatch(/^SLUICE_FILE_(?:UNREADABLE|TOO_LARGE|ENCRYPTED)$/);
  }

  it.each([10, 20, 30, 40, 50, 60, 70, 80, 90])('cut off at %i percent', (percent) => {
    const error = failureOf(whole.subarray(0, (whole.length * percent) / 100));
    expect(error?.code).toBe('SLUICE_FILE_UNREADABLE');
  });

  it('with any bytes changed', () => {
    const change = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, value] of changes) bytes[at] = value;
        holds(bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('with any elements in any order', () => {
    const tags = [
      'w:p',
      'w:r',
      'w:t',
      'w:tbl',
      'w:tr',
      'w:tc',
      'w:txbxContent',
      'w:del',
      'w:pPr',
      'w:numPr',
      'w:footnote',
    ];
    const piece = fc.oneof(
      fc.constantFrom(...tags).map((tag) => `<${tag}>`),
      fc.constantFrom(...tags).map((tag) => `</${tag}>`),
      fc.constantFrom(
        '<w:pStyle w:val="Heading1"/>',
        '<w:gridSpan w:val="9"/>',
        '<w:numId w:val="1"/>',
        'x',
        ' ',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        read({ body: pieces.join('') });
      }),
      { numRuns: 500 },
    );
  });
});
