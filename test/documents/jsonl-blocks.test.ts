import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonlBlock, jsonlBlocks, MAX_LINE_BYTES } from '../../src/documents/jsonl-blocks.js';
import { collect, folderWith } from './temporary.js';

const textOf = (blocks: JsonlBlock[]) => Buffer.concat(blocks.map((block) => block.bytes)).toString();

function expectWhole(blocks: JsonlBlock[]): void {
  let line = 1;
  blocks.forEach((block, i) => {
    expect(block.firstLine).toBe(line + block.skipped.length);
    line = block.firstLine + Buffer.from(block.bytes).filter((byte) => byte === 10).length;
    expect(block.lastBlock).toBe(i === blocks.length - 1);
    expect(block.bytes.byteOffset).toBe(0);
    expect(block.bytes.buffer.byteLength).toBe(block.bytes.length);
    if (!block.lastBlock) expect(block.bytes.at(-1)).toBe(10);
  });
}

describe('jsonlBlocks', () => {
  it('gives back the file in whole lines, packed or not', async () => {
    const line = fc.string({ maxLength: 40, unit: 'grapheme' }).map((text) => text.replace(/\n/g, ' '));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 60 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 300 }),
        async (lines, end, blockBytes) => {
          const text = lines.join('\n') + (end ? '\n' : '');
          const folder = folderWith({ 'a.jsonl': text, 'a.jsonl.gz': gzipSync(text) });
          for (const name of ['a.jsonl', 'a.jsonl.gz']) {
            const blocks = await collect(jsonlBlocks(join(folder, name), { blockBytes }));
            expect(textOf(blocks)).toBe(text);
            expectWhole(blocks);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('decodes UTF-16, with a mark and without', async () => {
    const text = Array.from({ length: 6000 }, (_, i) => `{"text":"Größe 😀 日本 \u0a0a ${i}"}\n`).join('');
    const little = (content: string) => Buffer.from(content, 'utf16le');
    const folder = folderWith({
      'marked.jsonl': little(`\ufeff${text}`),
      'bare.jsonl': little(text),
      'marked-big.jsonl': little(`\ufeff${text}`).swap16(),
      'bare-big.jsonl.gz': gzipSync(little(text).swap16()),
      'cut.jsonl': little(text).subarray(0, -1),
      'lying.jsonl': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text)]),
      'lying-big.jsonl': Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text)]),
    });
    for (const name of [
      'lying.jsonl',
      'lying-big.jsonl',
      'marked.jsonl',
      'bare.jsonl',
      'marked-big.jsonl',
      'bare-big.jsonl.gz',
    ]) {
      const blocks = await collect(jsonlBlocks(join(folder, name)));
      expect(textOf(blocks), name).toBe(text);
      expectWhole(blocks);
    }
    expect(textOf(await collect(jsonlBlocks(join(folder, 'cut.jsonl'))))).toBe(`${text.slice(0, -1)}\ufffd`);
  });

  it('accounts for every byte on disk, also where its caller takes its time', async () => {
    const text = Array.from({ length: 30_000 }, (_, i) => `{"id":${i},"text":"${Math.sin(i)}"}\n`).join('');
    const packed = gzipSync(text);
    const folder = folderWith({ 'a.jsonl': text, 'a.jsonl.gz': packed });
    for (const [name, size] of [
      ['a.jsonl', text.length],
      ['a.jsonl.gz', packed.length],
    ] as const) {
      let sum = 0;
      for await (const { sourceBytes } of jsonlBlocks(join(folder, name), { blockBytes: 64 * 1024 })) {
        sum += sourceBytes;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      expect(sum).toBe(size);
    }
  });

  it('cuts a large file after about 256 KiB and in buffers of their own', async () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `{"id":${i},"text":"${'x'.repeat(80)}"}\n`).join(
      '',
    );
    const blocks = await collect(jsonlBlocks(join(folderWith({ 'a.jsonl': text }), 'a.jsonl')));
    expect(textOf(blocks)).toBe(text);
    expectWhole(blocks);
    for (const block of blocks.slice(0, -1)) {
      expect(block.bytes.length).toBeGreaterThanOrEqual(256 * 1024);
      expect(block.bytes.length).toBeLessThan(400 * 1024);
    }
    // Threads share them: nothing is copied, and a thread that dies takes nothing along.
    expect(new Set(blocks.map(({ bytes }) => bytes.buffer)).size).toBe(blocks.length);
    expect(structuredClone(blocks[0]!.bytes)[0]).toBe(blocks[0]!.bytes[0]);
    for (const { bytes } of blocks) expect(bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it('yields one empty block for an empty file', async () => {
    const blocks = await collect(jsonlBlocks(join(folderWith({ 'a.jsonl': '' }), 'a.jsonl')));
    expect(blocks).toMatchObject([{ firstLine: 1, lastBlock: true, skipped: [] }]);
    expect(blocks[0]!.bytes.length).toBe(0);
  });

  it('passes over lines that are too long, in flat memory and small steps', async () => {
    const path = join(folderWith({}), 'a.jsonl');
    const out = createWriteStream(path);
    const long = Buffer.alloc(MAX_LINE_BYTES + 200_000, 'y');
    for (const part of [
      'one\n',
      long,
      '\ntwo\n',
      long,
      '\n',
      long,
      '\nthree\n',
      Buffer.alloc(8e6, 'z'),
      '\n',
      long,
    ])
      out.write(part);
    await finished(out.end());
    const blocks = await collect(jsonlBlocks(path));
    expect(textOf(blocks).replace(/z+/, 'zz')).toBe('one\ntwo\nthree\nzz\n');
    expect(blocks.flatMap((block) => block.skipped.map((skip) => skip.line))).toEqual([2, 4, 5, 8]);
    expect(blocks.find((block) => Buffer.from(block.bytes).toString().startsWith('three'))!.firstLine).toBe(
      6,
    );
    expect(blocks.at(-1)!.lastBlock).toBe(true);
    expect(blocks.flatMap((block) => block.skipped)[0]!.error).toMatchObject({
      code: 'SLUICE_RECORD_INVALID',
      details: { line: 2 },
    });
  });

  it('reports what cannot be read, after what could', async () => {
    const numbers = Array.from({ length: 50_000 }, (_, i) => String((i * 2654435761) % 1e9));
    const packed = gzipSync(`${numbers.join('\n')}\n`);
    const folder = folderWith({ 'cut.gz': packed.subarray(0, packed.length - 20_000), 'no.gz': 'plain' });
    const found: JsonlBlock[] = [];
    const reading = async () => {
      for await (const block of jsonlBlocks(join(folder, 'cut.gz'), { source: 'd/cut.gz' }))
        found.push(block);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'SLUICE_FILE_UNREADABLE', message: /d\/cut\.gz/ });
    const lines = textOf(found).split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(100);
    expect(lines).toEqual(numbers.slice(0, lines.length));
    expect(found.at(-1)!.lastBlock).toBe(false);
    for (const name of ['no.gz', 'gone.jsonl']) {
      const blocks = collect(jsonlBlocks(join(folder, name)));
      await expect(blocks).rejects.toMatchObject({ code: 'SLUICE_FILE_UNREADABLE' });
    }
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const path = join(folderWith({ 'a.jsonl': 'line\n'.repeat(100_000) }), 'a.jsonl');
    const blocks = jsonlBlocks(path, { blockBytes: 1000, signal: controller.signal });
    await blocks.next();
    controller.abort();
    await expect(blocks.next()).rejects.toMatchObject({ code: 'SLUICE_ABORTED' });
  });
});
