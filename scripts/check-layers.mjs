/**
 * Holds src/ to its layers: who may import whom, no import cycles, no file over the line limit.
 *
 *   node scripts/check-layers.mjs [root of the repository]
 *
 * A stage stands alone on the shared ground (model, errors, native, remote, threads), so that it can be read, tested and
 * replaced without the others. What composes stages is named below; everything else is a violation, printed as
 * `file:line: sentence`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'vite';

const MAX_LINES = 400;

const GROUND = ['errors', 'model', 'native', 'remote', 'threads'];
const STAGES = [
  'documents',
  'chunking',
  'context-lines',
  'tokens',
  'embedding',
  'reranking',
  'store',
  'context',
  'evaluation',
  'cluster',
];
const COMPOSERS = ['indexing', 'retrieval'];
/** The edge of the package: root files such as src/index.ts, the command and the server. */
const EDGE = ['root', 'cli', 'server'];

const LAYERS = new Map([
  ['errors', { may: [], says: 'errors.ts is what everything else stands on and imports nothing' }],
  ['model', { may: ['errors'], says: 'model/ holds data types and imports only model/ and errors' }],
  ['native', { may: ['errors', 'model'], says: 'native/ imports only model/ and errors' }],
  ['remote', { may: ['errors', 'model'], says: 'remote/ imports only model/ and errors' }],
  ['threads', { may: ['errors', 'model'], says: 'threads/ imports only model/ and errors' }],
  [
    'inference',
    { may: GROUND, says: 'inference/ is an engine and imports only model, errors, native, threads' },
  ],
  ...STAGES.map((name) => [
    name,
    {
      may: GROUND,
      says: 'a stage imports only model, errors, native, remote and threads; indexing/ or retrieval/ composes',
    },
  ]),
  ...COMPOSERS.map((name) => [
    name,
    {
      may: [...GROUND, ...STAGES, 'inference'],
      says: 'a composer imports stages, never another composer or the edge',
    },
  ]),
  [
    'audit',
    {
      may: [...GROUND, ...STAGES, 'inference', 'indexing'],
      says: 'audit/ looks at what indexing/ prepares: it imports that and stages, never another composer or the edge',
    },
  ],
  ...EDGE.map((name) => [name, { may: 'anything' }]),
]);
for (const name of ['embedding', 'reranking']) {
  LAYERS.set(name, {
    may: [...GROUND, 'inference'],
    says: `${name}/ imports only model, errors, native, threads and inference; indexing/ or retrieval/ composes`,
  });
}

/**
 * @param {string} root folder that holds src/
 * @returns {{ files: number, imports: number, violations: { file: string, line: number, message: string }[] }}
 */
function checkLayers(root) {
  const files = sourceFiles(path.join(root, 'src')).map((file) => readSource(root, file));
  const known = new Set(files.map((file) => file.name));
  const violations = [];
  for (const file of files) {
    violations.push(...lengthViolations(file), ...file.broken);
    for (const edge of file.imports) violations.push(...importViolations(file.name, edge, known));
  }
  violations.push(...cycleViolations(files));
  violations.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  return {
    files: files.length,
    imports: files.reduce((sum, file) => sum + file.imports.length, 0),
    violations,
  };
}

function sourceFiles(folder) {
  if (!existsSync(folder)) throw new Error(`there is no src folder: ${folder}`);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** A file as its repository path, its length and its imports with lines and resolved targets. */
function readSource(root, file) {
  const code = readFileSync(file, 'utf8');
  const name = toRepositoryPath(root, file);
  const lineStarts = [0];
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  const lineOf = (offset) => lineStarts.findLastIndex((start) => start <= offset) + 1;
  const { program, errors } = parseSync(file, code);
  const broken = errors.map((error) => ({
    file: name,
    line: lineOf(error.labels?.[0]?.start ?? 0),
    message: `the file does not parse: ${error.message}`,
  }));
  const imports = specifiers(program).map(({ value, start }) => ({
    specifier: value,
    line: lineOf(start),
    target: value.startsWith('.')
      ? toRepositoryPath(root, path.resolve(path.dirname(file), value))
      : undefined,
  }));
  return { name, lines: lineStarts.length - (code.endsWith('\n') ? 1 : 0), imports, broken };
}

/** Every literal module name: import, export from, import('…') and the type import('…').X. */
function specifiers(program) {
  const found = [];
  const take = (node) => {
    if (node.source?.type === 'Literal' && typeof node.source.value === 'string') found.push(node.source);
  };
  new Visitor({
    ImportDeclaration: take,
    ExportNamedDeclaration: take,
    ExportAllDeclaration: take,
    ImportExpression: take,
    TSImportType: take,
  }).visit(program);
  return found;
}

function toRepositoryPath(root, file) {
  return path.relative(root, file).split(path.sep).join('/');
}

/** The layer of a repository path below src/, or undefined for one that lies elsewhere. */
function layerOf(name) {
  if (!name.startsWith('src/')) return undefined;
  const [first, ...rest] = name.slice('src/'.length).split('/');
  if (rest.length > 0) return first;
  return /^errors\.[jt]s$/.test(first) ? 'errors' : 'root';
}

function lengthViolations({ name, lines }) {
  if (lines <= MAX_LINES) return [];
  const message = `the file has ${lines} lines, the limit is ${MAX_LINES}: split it by concept`;
  return [{ file: name, line: MAX_LINES + 1, message }];
}

function importViolations(file, { specifier, line, target }, known) {
  const from = layerOf(file);
  const rule = LAYERS.get(from);
  const report = (message) => [{ file, line, message }];
  if (rule === undefined)
    return report(`src/${from}/ is no known layer: name it in scripts/check-layers.mjs`);
  if (target === undefined) {
    const packageInModel = ['model', 'errors'].includes(from) && !specifier.startsWith('node:');
    return packageInModel
      ? report(`${from} is data without dependencies and may not import '${specifier}'`)
      : [];
  }
  const to = layerOf(target);
  if (to === undefined) return report(`'${specifier}' leads out of src/`);
  if (to !== from && rule.may !== 'anything' && !rule.may.includes(to)) {
    return report(`${from} may not import ${to} ('${specifier}'): ${rule.says}`);
  }
  if (asSource(target, known) === undefined) return report(`'${specifier}' does not exist`);
  return [];
}

/** NodeNext imports name the compiled file: './a.js' is a.ts. */
function asSource(target, known) {
  const candidates = [target, target.replace(/\.([cm]?)js$/, '.$1ts'), target.replace(/\.jsx?$/, '.tsx')];
  return candidates.find((candidate) => known.has(candidate));
}

/** One violation a cycle, at the import that closes it. Type-only imports count: a cycle of types is a cycle to read. */
function cycleViolations(files) {
  const known = new Map(files.map((file) => [file.name, file]));
  const state = new Map();
  const trail = [];
  const violations = [];
  const visit = (file) => {
    state.set(file.name, 'open');
    trail.push(file.name);
    for (const { target, line } of file.imports) {
      const next = target && known.get(asSource(target, known));
      if (!next) continue;
      if (state.get(next.name) === 'open') {
        const cycle = [...trail.slice(trail.indexOf(next.name)), next.name];
        violations.push({ file: file.name, line, message: `import cycle: ${cycle.join(' → ')}` });
      } else if (!state.has(next.name)) visit(next);
    }
    trail.pop();
    state.set(file.name, 'done');
  };
  for (const file of files) if (!state.has(file.name)) visit(file);
  return violations;
}

const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..'));
const { files, imports, violations } = checkLayers(root);
for (const { file, line, message } of violations) console.error(`${file}:${line}: ${message}`);
if (files === 0) console.error('src/ holds no TypeScript file');
console.log(`layers: ${files} files, ${imports} imports, ${violations.length} violations`);
process.exitCode = violations.length > 0 || files === 0 ? 1 : 0;
