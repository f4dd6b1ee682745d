import { describe, expect, it } from 'vitest';
import { runCheck } from './run-check.js';

const check = (tree: Record<string, string | Uint8Array>) => runCheck('check-links.mjs', tree);

// Spelled in pieces, because this file is itself checked for them.
const REGISTRY = ['registry', 'npmjs'].join('.');
const MACHINE = ['', 'home', 'someone'].join('/');

describe('check-links: documents', () => {
  it('passes links, anchors, paths and commands that lead somewhere', () => {
    const result = check({
      'README.md': [
        '# Sluice',
        'See [the design](ARCHITECTURE.md#the-way-of-the-data), [here](#sluice), [web](https://example.org/x).',
        '`src/store/commit.ts`, `src/store/commit.ts:12`, `bench/`, `node scripts/demo.mjs --smoke`, `a/b`.',
        '![logo](models/logo.svg) <img src="models/logo.svg">',
        '`src/**/*.ts`, `src/<stage>/index.ts`, `native-bindings/sluice.linux-x64-gnu.node`',
        '```sh',
        'node scripts/demo.mjs src/made-up-folder',
        '```',
      ].join('\n'),
      'ARCHITECTURE.md': '# Architecture\n\n## The way of the data\n',
      'models/logo.svg': '<svg/>',
      'models/mini/README.md': '[up](../logo.svg) `models/logo.svg`',
      'bench/README.md': '',
      'src/store/commit.ts': '',
      'scripts/demo.mjs': '',
    });
    expect(result.violations).toEqual([]);
    expect(result.exitCode).toBe(0);
    expect(result.summary).toBe('links: 7 text files, 4 documents, 0 violations');
  });

  it('names each dead reference with its line', () => {
    const result = check({
      'README.md': [
        '# Sluice',
        '',
        'A [dead link](docs/none.md) and',
        'a `src/none.ts` in the next line.',
        '',
        'A [heading](#nowhere) and one [there](CHANGELOG.md#0-9).',
        '',
        '![image](none.png) and <a href="none.html">html</a>',
        '',
        'An [absolute](/docs) link, `node bench/none.mjs --json`.',
        '',
        '```sh',
        'cd somewhere',
        'node scripts/none.mjs',
        '```',
        '',
        '| a | b |',
        '|---|---|',
        '| x | `test/none/` |',
      ].join('\n'),
      'CHANGELOG.md': '# Changelog\n',
    });
    expect(result.exitCode).toBe(1);
    expect(result.violations).toEqual([
      "README.md:3: the link 'docs/none.md' leads to nothing",
      "README.md:4: the path 'src/none.ts' does not exist",
      "README.md:6: the link '#nowhere' names a heading that README.md lacks",
      "README.md:6: the link 'CHANGELOG.md#0-9' names a heading that CHANGELOG.md lacks",
      "README.md:8: the link 'none.png' leads to nothing",
      "README.md:8: the link 'none.html' leads to nothing",
      "README.md:10: the link '/docs' starts at the root of a host: make it relative",
      "README.md:10: the path 'bench/none.mjs' does not exist",
      "README.md:14: the path 'scripts/none.mjs' does not exist",
      "README.md:19: the path 'test/none/' does not exist",
    ]);
  });

  it('reads the documents of docs/ too', () => {
    const result = check({ 'docs/care.md': '# Care\n\n[filters](filters.md) `src/none.ts`\n' });
    expect(result.violations).toEqual([
      "docs/care.md:3: the link 'filters.md' leads to nothing",
      "docs/care.md:3: the path 'src/none.ts' does not exist",
    ]);
    expect(result.exitCode).toBe(1);
  });

  it('numbers repeated headings as Markdown hosts do', () => {
    const result = check({
      'CHANGELOG.md': '# A\n## Added\n## Added\n[1](#added) [2](#added-1) [3](#added-2)\n',
    });
    expect(result.violations).toEqual([
      "CHANGELOG.md:4: the link '#added-2' names a heading that CHANGELOG.md lacks",
    ]);
  });

  it('reads only documents for links, not any Markdown', () => {
    expect(check({ 'test/fixtures/page.md': '[dead](none.md)' }).violations).toEqual([]);
  });
});

describe('check-links: every text file', () => {
  it('finds registry hosts and machine paths', () => {
    const result = check({
      'src/a.ts': `const url = 'https://${REGISTRY}.org/x';\n`,
      'scripts/b.sh': `cd /tmp\ncd ${MACHINE}/project\n`,
    });
    expect(result.exitCode).toBe(1);
    expect(result.violations).toEqual([
      `scripts/b.sh:2: '${MACHINE}' is a path of one machine`,
      `src/a.ts:1: '${REGISTRY}' ties the file to a package registry`,
    ]);
  });

  it('leaves relative folders, addresses, lockfiles and binary files alone', () => {
    const result = check({
      'src/a.ts': "import './home/x.js';\nfetch('https://example.org/home/x');\n",
      'native-bindings/Cargo.lock': `source = "https://${REGISTRY}"`,
      'package-lock.json': JSON.stringify({ note: REGISTRY }),
      'models/weights.bin': Buffer.concat([Buffer.from([0]), Buffer.from(REGISTRY)]),
      'node_modules/x/readme.md': REGISTRY,
    });
    expect(result.violations).toEqual([]);
  });

  it('refuses resolved addresses in any package-lock.json', () => {
    const lock = '{\n  "packages": { "a": {\n    "resolved": "https://example.org/a.tgz"\n  } }\n}\n';
    const result = check({ 'bench/peers/package-lock.json': lock });
    expect(result.violations).toEqual([
      'bench/peers/package-lock.json:3: a "resolved" address: write the lockfile with omit-lockfile-registry-resolved=true',
    ]);
  });
});
