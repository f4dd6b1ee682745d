/**
 * Holds the documents to the repository, and the repository to itself.
 *
 *   node scripts/check-links.mjs [root of the repository]
 *
 * Documents: every relative link, heading anchor, back-ticked repository path and `node …/x.mjs` in a code block leads
 * to something that exists. All text files: no address of a package registry and no path of one machine. Lockfiles:
 * no "resolved" address. What is wrong is printed as `file:line: sentence`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import MarkdownIt from 'markdown-it';

const DOCUMENTS = [
  /^(README|ARCHITECTURE|CONTRIBUTING|CHANGELOG)\.md$/,
  /^(models|bench)\/([^/]+\/)?README\.md$/,
  /^docs\/.+\.md$/,
];
/** What a back-ticked word must begin with to be read as a path of this repository. */
const REPOSITORY_PATH =
  /^(?:\.\/)?((?:src|bench|test|scripts|models|native-bindings|\.ci)\/[\w@./-]*)(?::\d+)?$/;
/** Built, not committed: absent before the build, so documents may name it freely. */
const BUILT = /^native-bindings\/(target\/|[^/]*\.node$)/;

const LOCKFILES = ['package-lock.json', 'Cargo.lock'];
const REGISTRIES = ['registry.npmjs', 'crates.io/', 'index.crates', 'repo1.maven', 'artifactory'];
/** At the start of a path only: "src/home/" and "https://host/home/" are no machine's paths. */
const MACHINE_PATH = /(?<![\w.~@-])\/(?:work|root|home)\/[\w.$-]*/;
const THIS_FILE = 'scripts/check-links.mjs';
const BINARY_PROBE_BYTES = 8192;

const markdown = new MarkdownIt({ html: true });

/** Paths of the repository's files: what git tracks or would add; without git, what is no build output. */
function repositoryFiles(root) {
  try {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const listed = execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return listed.split('\0').filter((name) => name !== '' && isFile(path.join(root, name)));
  } catch {
    return walk(root, '');
  }
}

function walk(root, folder) {
  const skipped = ['node_modules', 'dist', 'target', 'coverage', '.git'];
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return skipped.includes(entry.name) ? [] : walk(root, name);
    return entry.isFile() ? [name] : [];
  });
}

function isFile(file) {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Links, inline code and commands of a Markdown text, each with its 1-based line. */
function references(text) {
  const found = [];
  let first = 1;
  for (const block of markdown.parse(text, {})) {
    // The cells of a table have no lines of their own, but their row has.
    if (block.map) first = block.map[0] + 1;
    if (block.type === 'fence' || block.type === 'code_block') found.push(...commands(block, first));
    if (block.type === 'html_block') found.push(...htmlLinks(block.content, first));
    let line = first;
    for (const child of block.children ?? []) {
      if (child.type === 'softbreak' || child.type === 'hardbreak') line++;
      if (child.type === 'link_open') found.push({ kind: 'link', value: child.attrGet('href'), line });
      if (child.type === 'image') found.push({ kind: 'link', value: child.attrGet('src'), line });
      if (child.type === 'html_inline') found.push(...htmlLinks(child.content, line));
      if (child.type === 'code_inline') {
        for (const word of child.content.split(/\s+/)) found.push({ kind: 'path', value: word, line });
      }
    }
  }
  return found;
}

function commands(block, first) {
  const firstContentLine = block.type === 'fence' ? first + 1 : first;
  return block.content.split('\n').flatMap((text, index) =>
    [...text.matchAll(/\bnode\s+(\S+\.[cm]?js)\b/g)].map((match) => ({
      kind: 'path',
      value: match[1],
      line: firstContentLine + index,
    })),
  );
}

function htmlLinks(html, line) {
  return [...html.matchAll(/\b(?:href|src)\s*=\s*["']([^"']+)["']/g)].map((match) => ({
    kind: 'link',
    value: match[1],
    line,
  }));
}

/** The anchors that a Markdown host makes of a document's headings. */
function anchors(text) {
  const seen = new Map();
  const tokens = markdown.parse(text, {});
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return [];
    const words = tokens[index + 1].children.map((child) => child.content).join('');
    const slug = words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return [count === 0 ? slug : `${slug}-${count}`];
  });
}

function checkDocument(root, file, text) {
  return references(text).flatMap(({ kind, value, line }) => {
    const message = kind === 'link' ? brokenLink(root, file, text, value) : brokenPath(root, file, value);
    return message === undefined ? [] : [{ file, line, message }];
  });
}

function brokenLink(root, file, text, link) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith('//')) return undefined;
  const [target, anchor] = decodeURI(link).split('#');
  if (target.startsWith('/')) return `the link '${link}' starts at the root of a host: make it relative`;
  const resolved = target === '' ? file : path.posix.join(path.posix.dirname(file), target);
  if (!existsSync(path.join(root, resolved))) return `the link '${link}' leads to nothing`;
  if (!anchor || !resolved.endsWith('.md')) return undefined;
  const content = resolved === file ? text : readFileSync(path.join(root, resolved), 'utf8');
  return anchors(content).includes(anchor)
    ? undefined
    : `the link '${link}' names a heading that ${resolved} lacks`;
}

function brokenPath(root, file, word) {
  const name = REPOSITORY_PATH.exec(word)?.[1];
  if (name === undefined || BUILT.test(name)) return undefined;
  const places = [name, path.posix.join(path.posix.dirname(file), name)];
  if (places.some((place) => existsSync(path.join(root, place)))) return undefined;
  return `the path '${name}' does not exist`;
}

/** Addresses and paths that tie a file to one registry or one machine. */
function checkText(file, text) {
  if (file === THIS_FILE || LOCKFILES.includes(path.posix.basename(file))) return [];
  return text.split('\n').flatMap((content, index) => {
    const line = index + 1;
    const registry = REGISTRIES.find((pattern) => content.includes(pattern));
    const place = MACHINE_PATH.exec(content)?.[0];
    const messages = [];
    if (registry) messages.push(`'${registry}' ties the file to a package registry`);
    if (place) messages.push(`'${place}' is a path of one machine`);
    return messages.map((message) => ({ file, line, message }));
  });
}

function checkLockfile(file, text) {
  return text.split('\n').flatMap((content, index) => {
    const address = /"resolved":\s*"(?:git\+)?https?:[^"]*"/.exec(content);
    if (!address) return [];
    const message = 'a "resolved" address: write the lockfile with omit-lockfile-registry-resolved=true';
    return [{ file, line: index + 1, message }];
  });
}

const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..'));
const violations = [];
let documents = 0;
let texts = 0;
for (const file of repositoryFiles(root)) {
  const bytes = readFileSync(path.join(root, file));
  if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) continue;
  const text = bytes.toString('utf8');
  texts++;
  violations.push(...checkText(file, text));
  if (path.posix.basename(file) === 'package-lock.json') violations.push(...checkLockfile(file, text));
  if (!DOCUMENTS.some((pattern) => pattern.test(file))) continue;
  documents++;
  violations.push(...checkDocument(root, file, text));
}
for (const { file, line, message } of violations) console.error(`${file}:${line}: ${message}`);
console.log(`links: ${texts} text files, ${documents} documents, ${violations.length} violations`);
process.exitCode = violations.length > 0 ? 1 : 0;
