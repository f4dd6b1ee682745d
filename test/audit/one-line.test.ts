import { expect, it } from 'vitest';
import { auditDocument } from '../../src/audit/document-audit.js';
import { createChunker } from '../../src/chunking/index.js';
import { makeDocument } from '../../src/documents/index.js';
import type { DocumentFormat } from '../../src/model/document.js';
import { loadModelTokenizer } from '../../src/tokens/index.js';
import { resolved } from '../chunking/checks.js';

const tokenizer = loadModelTokenizer(
  new URL('../../models/all-MiniLM-L6-v2/tokenizer.json', import.meta.url).pathname,
);

const LETTERS = (n: number) =>
  Array.from({ length: n }, (_, i) => String.fromCharCode(97 + ((i * i) % 26))).join('');
const HAN = (n: number) =>
  Array.from({ length: n }, (_, i) => String.fromCharCode(0x4e00 + ((i * i) % 3000))).join('');

/** One line of about n characters, without a blank. */
const LINES: Record<string, (n: number) => string> = {
  letters: LETTERS,
  'Chinese letters': HAN,
  base64: (n) => Buffer.from(LETTERS((n * 3) / 4)).toString('base64'),
  'Thai letters': (n) => 'กำลัง'.repeat(n / 5),
  families: (n) => '👩‍👩‍👧‍👦'.repeat(n / 11),
  flags: (n) => '🇩🇪'.repeat(n / 4),
  accents: (n) => 'a\u0301'.repeat(n / 2),
  '(': (n) => '('.repeat(n),
  '<': (n) => '<'.repeat(n),
  '*': (n) => '*'.repeat(n),
  '[': (n) => '['.repeat(n),
  '![': (n) => '!['.repeat(n / 2),
  '`a': (n) => '`a'.repeat(n / 2),
  '*a_': (n) => '*a_'.repeat(n / 3),
  '<a': (n) => '<a'.repeat(n / 2),
  '<!--': (n) => '<!--'.repeat(n / 4),
};
const FORMATS: readonly DocumentFormat[] = ['text', 'markdown', 'html', 'json'];

const SMALL = 40_000;
const TIMES = 4;
/** Processor time below which a measurement says more about the clock. */
const NOISE_MS = 60;

it.each(Object.keys(LINES).flatMap((name) => FORMATS.map((format) => [name, format] as const)))(
  'reads, cuts and audits one line of %s as %s in time that grows with its length',
  async (name, format) => {
    const chunker = createChunker(resolved({ limitTokens: 254, overlapTokens: 38, tokenizer }));
    const timed = async (n: number) => {
      const line = LINES[name]!(n);
      // A letter before it, because a tag that is never closed holds no text.
      const text = format === 'json' ? JSON.stringify({ line }) : `x${line}`;
      const began = process.cpuUsage();
      const document = makeDocument({ id: 'a', text, format });
      auditDocument(document, await chunker.chunk(document), { limitTokens: 254, tokenizer });
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1000;
    };
    await timed(SMALL);
    let ratio = 0;
    // What else runs in this process may slow one measurement down, but not five.
    for (let attempt = 0; attempt < 5; attempt++) {
      const [once, more] = [await timed(SMALL), await timed(SMALL * TIMES)];
      ratio = more < NOISE_MS ? 0 : more / once;
      if (ratio < TIMES * 2) break;
    }
    expect(ratio).toBeLessThan(TIMES * 2);
  },
);
