import type { DocumentFormat } from '../model/document.js';
import { extensionOf } from './clean.js';

export interface FileFormat {
  readonly format: DocumentFormat;
  /** Programming language in lower case; only for code. */
  readonly language?: string;
}

const FORMAT_BY_EXTENSION: ReadonlyMap<string, DocumentFormat> = new Map([
  ...(['md', 'markdown', 'mdx'] as const).map((extension) => [extension, 'markdown'] as const),
  ...(['html', 'htm', 'xhtml'] as const).map((extension) => [extension, 'html'] as const),
  ...(['txt', 'text', 'org', 'tex'] as const).map((extension) => [extension, 'text'] as const),
  ['rst', 'rst'],
  ...(['adoc', 'asciidoc'] as const).map((extension) => [extension, 'asciidoc'] as const),
  ...(['csv', 'tsv', 'tab', 'psv'] as const).map((extension) => [extension, 'csv'] as const),
  ...(['json', 'json5', 'jsonc', 'geojson', 'webmanifest'] as const).map(
    (extension) => [extension, 'json'] as const,
  ),
  ['ipynb', 'notebook'],
  ['pdf', 'pdf'],
  ...(['docx', 'docm'] as const).map((extension) => [extension, 'docx'] as const),
  ...(['jsonl', 'ndjson'] as const).map((extension) => [extension, 'jsonl'] as const),
]);

/** Extensions of source code and configuration by language. */
const EXTENSIONS_BY_LANGUAGE: Readonly<Record<string, string>> = {
  bash: 'sh bash zsh ksh',
  batch: 'bat cmd',
  c: 'c h',
  clojure: 'clj cljs cljc edn',
  cmake: 'cmake',
  cpp: 'cc cpp cxx c++ hh hpp hxx inl ipp',
  csharp: 'cs csx',
  css: 'css scss sass less',
  cuda: 'cu cuh',
  d: 'd',
  dart: 'dart',
  elixir: 'ex exs',
  elm: 'elm',
  erlang: 'erl hrl',
  fortran: 'f f90 f95 f03',
  fsharp: 'fs fsi fsx',
  go: 'go',
  graphql: 'graphql gql',
  groovy: 'groovy gradle',
  haskell: 'hs lhs',
  hcl: 'tf tfvars hcl',
  ini: 'ini cfg conf properties',
  java: 'java',
  javascript: 'js mjs cjs jsx',
  julia: 'jl',
  kotlin: 'kt kts',
  lisp: 'lisp lsp cl el',
  lua: 'lua',
  nim: 'nim',
  nix: 'nix',
  objectivec: 'm mm',
  ocaml: 'ml mli',
  pascal: 'pas pp',
  perl: 'pl pm',
  php: 'php phtml',
  powershell: 'ps1 psm1 psd1',
  prisma: 'prisma',
  protobuf: 'proto',
  python: 'py pyi pyw',
  r: 'r',
  ruby: 'rb rake gemspec',
  rust: 'rs',
  scala: 'scala sc sbt',
  scheme: 'scm ss rkt',
  solidity: 'sol',
  sql: 'sql ddl',
  svelte: 'svelte',
  swift: 'swift',
  thrift: 'thrift',
  toml: 'toml',
  typescript: 'ts tsx mts cts',
  verilog: 'v sv svh',
  vhdl: 'vhd vhdl',
  vue: 'vue',
  wgsl: 'wgsl',
  xml: 'xml xsd xsl xslt',
  yaml: 'yaml yml',
  zig: 'zig',
};

const LANGUAGE_BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries(EXTENSIONS_BY_LANGUAGE).flatMap(([language, extensions]) =>
    extensions.split(' ').map((extension) => [extension, language] as const),
  ),
);

const FORMAT_BY_NAME: ReadonlyMap<string, FileFormat> = new Map<string, FileFormat>([
  ['dockerfile', { format: 'code', language: 'dockerfile' }],
  ['makefile', { format: 'code', language: 'makefile' }],
  ['cmakelists.txt', { format: 'code', language: 'cmake' }],
  ['readme', { format: 'text' }],
]);

/** Written by programs for programs: long, and nobody asks about them. */
const LOCKFILES = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'composer.lock',
  'poetry.lock',
  'pipfile.lock',
  'cargo.lock',
  'packages.lock.json',
  'flake.lock',
]);

/**
 * What a file is by its name alone, or undefined if it isn't one for the index: an unknown extension, a lockfile, or
 * minified code. `.jsonl.gz` and `.ndjson.gz` are JSONL.
 */
export function formatOf(name: string): FileFormat | undefined {
  const lower = name.toLowerCase();
  if (LOCKFILES.has(lower) || /\.min\.(?:[mc]?js|css)$/.test(lower)) return undefined;
  const named = FORMAT_BY_NAME.get(lower);
  if (named) return named;
  if (/\.(?:jsonl|ndjson)\.gz$/.test(lower)) return { format: 'jsonl' };
  const extension = extensionOf(lower);
  const format = FORMAT_BY_EXTENSION.get(extension);
  if (format) return { format };
  const language = LANGUAGE_BY_EXTENSION.get(extension);
  return language === undefined ? undefined : { format: 'code', language };
}
