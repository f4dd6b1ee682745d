import { describe, expect, it } from 'vitest';
import { runCheck } from './run-check.js';

const check = (tree: Record<string, string>) => runCheck('check-layers.mjs', tree);

/** What every tree needs to stand on. */
const ground = {
  'src/errors.ts': 'export class SluiceError extends Error {}\n',
  'src/model/chunk.ts':
    "import type { SluiceError } from '../errors.js';\nexport type Chunk = SluiceError;\n",
  'src/native/addon.ts': "import { SluiceError } from '../errors.js';\nexport const addon = SluiceError;\n",
  'src/threads/pool.ts': "import type { Chunk } from '../model/chunk.js';\nexport type Pool = Chunk;\n",
};

describe('check-layers', () => {
  it('passes a tree that keeps the layers', () => {
    const result = check({
      ...ground,
      'src/index.ts': "export * from './open-index.js';\nexport { SluiceError } from './errors.js';\n",
      'src/open-index.ts':
        "import './indexing/run.js';\nimport './retrieval/search.js';\nimport './store/open.js';\n",
      'src/store/open.ts':
        "import { addon } from '../native/addon.js';\nimport './commit.js';\nexport { addon };\n",
      'src/store/commit.ts': "import type { Chunk } from '../model/chunk.js';\nexport type Commit = Chunk;\n",
      'src/inference/session.ts': "import '../threads/pool.js';\nimport 'onnxruntime-node';\n",
      'src/embedding/embed.ts': "export { } from '../inference/session.js';\n",
      'src/reranking/rerank.ts':
        "const session = await import('../inference/session.js');\nexport { session };\n",
      'src/indexing/run.ts': "import '../store/open.js';\nimport '../embedding/embed.js';\n",
      'src/retrieval/search.ts': "import '../store/open.js';\nimport '../reranking/rerank.js';\n",
      'src/cli/main.ts': "import '../index.js';\nimport '../server/listen.js';\n",
      'src/server/listen.ts': "import '../open-index.js';\nimport '../store/open.js';\n",
    });
    expect(result.violations).toEqual([]);
    expect(result.exitCode).toBe(0);
    expect(result.summary).toMatch(/^layers: 15 files, \d+ imports, 0 violations$/);
  });

  it('names every import between stages with file and line, however it is written', () => {
    const result = check({
      ...ground,
      'src/tokens/count.ts': 'export const count = 1;\nexport type Count = number;\n',
      'src/chunking/a.ts': "// first line\nimport { count } from '../tokens/count.js';\nexport { count };\n",
      'src/chunking/b.ts': "import type {\n  Count,\n} from '../tokens/count.js';\nexport type B = Count;\n",
      'src/chunking/c.ts': "\n\nexport { count } from '../tokens/count.js';\n",
      'src/chunking/d.ts': "export * from '../tokens/count.js';\n",
      'src/chunking/e.ts': "export const load = () => import('../tokens/count.js');\n",
      'src/chunking/f.ts': "export type F = import('../tokens/count.js').Count;\n",
      'src/chunking/g.ts':
        "// import '../tokens/count.js'\nexport const g = `import('../tokens/count.js')`;\n",
    });
    expect(result.exitCode).toBe(1);
    const rule =
      'a stage imports only model, errors, native, remote and threads; indexing/ or retrieval/ composes';
    const sentence = `chunking may not import tokens ('../tokens/count.js'): ${rule}`;
    const lines = { a: 2, b: 3, c: 3, d: 1, e: 1, f: 1 };
    expect(result.violations).toEqual(
      Object.entries(lines).map(([name, line]) => `src/chunking/${name}.ts:${line}: ${sentence}`),
    );
  });

  it('refuses each kind of import that crosses a layer', () => {
    // File, what it imports, and how the sentence about it begins.
    const refused: [string, string, string][] = [
      ['src/store/a.ts', '../inference/y.js', 'store may not import inference'],
      ['src/inference/b.ts', '../embedding/y.js', 'inference may not import embedding'],
      ['src/embedding/c.ts', '../reranking/y.js', 'embedding may not import reranking'],
      ['src/store/d.ts', '../indexing/y.js', 'store may not import indexing'],
      ['src/retrieval/e.ts', '../indexing/y.js', 'retrieval may not import indexing'],
      ['src/indexing/f.ts', '../y.js', 'indexing may not import root'],
      ['src/context/g.ts', '../server/y.js', 'context may not import server'],
      ['src/model/h.ts', '../native/y.js', 'model may not import native'],
      ['src/native/i.ts', '../threads/y.js', 'native may not import threads'],
      ['src/threads/j.ts', '../store/y.js', 'threads may not import store'],
      ['src/errors.ts', './model/y.js', 'errors may not import model'],
      ['src/model/k.ts', 'piscina', "model is data without dependencies and may not import 'piscina'"],
      ['src/store/l.ts', '../../bench/y.js', "'../../bench/y.js' leads out of src/"],
      ['src/store/m.ts', './none.js', "'./none.js' does not exist"],
      ['src/utils/n.ts', 'node:fs', 'src/utils/ is no known layer'],
    ];
    const folders = 'inference embedding reranking indexing server native threads store model'.split(' ');
    const result = check({
      'src/y.ts': 'export {};\n',
      ...Object.fromEntries(folders.map((folder) => [`src/${folder}/y.ts`, 'export {};\n'])),
      ...Object.fromEntries(refused.map(([file, specifier]) => [file, `import '${specifier}';\n`])),
    });
    for (const [file, , sentence] of refused) {
      const reported = result.violations.filter((line) => line.startsWith(`${file}:`));
      expect(reported).toEqual([expect.stringContaining(`${file}:1: ${sentence}`)]);
    }
    expect(result.violations).toHaveLength(refused.length);
    expect(result.exitCode).toBe(1);
  });

  it('finds import cycles, those of types too', () => {
    const result = check({
      ...ground,
      'src/store/a.ts': "import './b.js';\n",
      'src/store/b.ts': "\nimport type { C } from './c.js';\nexport type B = C;\n",
      'src/store/c.ts': "import './a.js';\nexport type C = 1;\n",
    });
    expect(result.violations).toEqual([
      'src/store/c.ts:1: import cycle: src/store/a.ts → src/store/b.ts → src/store/c.ts → src/store/a.ts',
    ]);
  });

  it('allows 400 lines and refuses 401', () => {
    const result = check({
      ...ground,
      'src/store/full.ts': `${'//\n'.repeat(399)}export {};\n`,
      'src/store/over.ts': `${'//\n'.repeat(400)}export {};\n`,
    });
    expect(result.violations).toEqual([
      'src/store/over.ts:401: the file has 401 lines, the limit is 400: split it by concept',
    ]);
  });

  it('reports a file that does not parse', () => {
    const result = check({ ...ground, 'src/store/x.ts': 'export {};\nimport { from;\n' });
    expect(result.violations[0]).toMatch(/^src\/store\/x\.ts:2: the file does not parse: /);
    expect(result.exitCode).toBe(1);
  });

  it('fails on an empty src, which would otherwise pass for clean', () => {
    expect(check({ 'src/readme.md': '' }).exitCode).toBe(1);
  });
});
