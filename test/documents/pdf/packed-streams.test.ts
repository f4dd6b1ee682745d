import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unpacksTooLarge } from '../../../src/documents/pdf/packed-streams.js';
import { readPdf } from '../../../src/documents/pdf/pdf.js';

const MIB = 1024 * 1024;

function stream(data: Uint8Array, dictionary: string): Buffer {
  return Buffer.concat([
    Buffer.from(`%PDF-1.5\n4 0 obj\n<< /Length ${data.length} ${dictionary} >>\nstream\n`),
    data,
    Buffer.from('\nendstream\nendobj\n'),
  ]);
}

describe('unpacksTooLarge', () => {
  const blanks = deflateSync(Buffer.alloc(10 * MIB, 32));

  it.each([
    ['a stream over the limit', stream(blanks, '/Filter /FlateDecode'), true],
    ['one in a chain', stream(blanks, '/Filter [/ASCIIHexDecode /Fl]'), true],
    ['packed twice', stream(deflateSync(blanks), '/Filter [/FlateDecode /FlateDecode]'), true],
    ['an image', stream(blanks, '/Subtype /Image /Filter /FlateDecode'), false],
    ['a stream that is not packed', stream(Buffer.alloc(10 * MIB, 32), ''), false],
    ['a stream under the limit', stream(deflateSync(Buffer.alloc(MIB)), '/Filter /FlateDecode'), false],
    ['no stream of that kind', stream(Buffer.alloc(MIB, 7), '/Filter /FlateDecode'), false],
    ['one without an end', Buffer.from(`1 0 obj << /Fl >>\nstream\n`.repeat(50_000)), false],
  ])('%s', async (_, bytes, answer) => {
    expect(await unpacksTooLarge(bytes, 4 * MIB)).toBe(answer);
  });
});

it('refuses a file that would fill the memory', async () => {
  const bytes = stream(deflateSync(Buffer.alloc(300 * MIB, 32)), '/Filter /FlateDecode');
  await expect(readPdf(bytes, 'p.pdf')).rejects.toMatchObject({ code: 'SLUICE_FILE_TOO_LARGE' });
});
