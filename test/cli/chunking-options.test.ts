import { Command } from 'commander';
import { afterEach, describe, expect, it } from 'vitest';
import { type ChunkingOptions, chunkingOf, withChunkingOptions } from '../../src/cli/chunking-options.js';
import { folderWith, runCommand } from './command.js';

function parsed(...args: string[]) {
  const command = withChunkingOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return chunkingOf(command.parse(args, { from: 'user' }).opts<ChunkingOptions>());
}

describe('what says how to cut', () => {
  it('becomes options of openIndex', () => {
    expect(parsed()).toEqual({ chunking: {} });
    expect(
      parsed(
        '--strategy',
        'recursive',
        '--tokens',
        'o200k',
        '--separator',
        '\\n## ',
        '--separator',
        'a\\\\b',
      ),
    ).toEqual({ chunking: { strategy: 'recursive', tokens: 'o200k', separators: ['\n## ', 'a\\b'] } });
    expect(parsed('--strategy', 'words', '--limit-words', '8', '--overlap-words', '5').chunking).toEqual({
      strategy: 'words',
      limitWords: 8,
      overlapWords: 5,
    });
    expect(parsed('--parent', '900', '--limit', '90', '--overlap', '0').chunking).toEqual({
      parentTokens: 900,
      limitTokens: 90,
      overlapTokens: 0,
    });
    expect(parsed('--percentile', '92.5', '--buffer', '0').chunking).toEqual({
      breakpointPercentile: 92.5,
      bufferSentences: 0,
    });
    expect(
      parsed(...['--chunker', 'a.mjs', '--reader', 'b.mjs', '--reader', 'c.mjs', '--module-timeout', '500']),
    ).toEqual({
      chunking: {},
      chunker: 'a.mjs',
      readers: ['b.mjs', 'c.mjs'],
      moduleTimeoutMs: 500,
    });
  });

  it.each([
    ['--strategy', 'clever'],
    ['--preset', 'big'],
    ['--percentile', '100'],
    ['--limit-words', '0'],
  ])('refuses %s %s', (...args) => {
    expect(() => parsed(...args)).toThrow(/invalid|Allowed/);
  });
});

describe('sluice index', () => {
  let folder: Awaited<ReturnType<typeof folderWith>>;
  afterEach(() => folder.remove());

  it('cuts as it is told, and with modules', async () => {
    const chunker = `export default ({ columns }) => ({
      fingerprint: 'one',
      chunk: (document) => columns(document, [{ start: 0, end: document.text.trimEnd().length }]),
    });`;
    folder = await folderWith({ 'docs/a.txt': 'one two three four five six seven.\n', 'one.mjs': chunker });
    const words = ['--strategy', 'words', '--limit-words', '3', '--overlap-words', '1'];
    const cut = await runCommand(['index', 'docs', '--json', ...words], folder.path);
    expect(JSON.parse(cut.stdout)).toMatchObject({ documents: 1, chunks: 3 });
    const own = await runCommand(
      ['index', 'docs', '--json', '-i', 'own', '--chunker', 'one.mjs'],
      folder.path,
    );
    expect(JSON.parse(own.stdout)).toMatchObject({ documents: 1, chunks: 1 });
    const without = await runCommand(['index', 'docs', '--json', '-i', 'own'], folder.path);
    expect(JSON.parse(without.stdout).error).toMatchObject({
      code: 'SLUICE_PASSPORT_MISMATCH',
      message: expect.stringMatching(/module\(one\).*--chunker/),
    });
  }, 60_000);
});
