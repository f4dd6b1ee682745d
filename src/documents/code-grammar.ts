import { formatOf } from './formats.js';

/** Grammars of the addon by the language of `formats.ts`. */
const GRAMMAR_BY_LANGUAGE: Readonly<Record<string, string>> = {
  bash: 'bash',
  c: 'c',
  cpp: 'cpp',
  csharp: 'csharp',
  cuda: 'cpp',
  go: 'go',
  java: 'java',
  javascript: 'javascript',
  kotlin: 'kotlin',
  lua: 'lua',
  php: 'php',
  python: 'python',
  ruby: 'ruby',
  rust: 'rust',
  typescript: 'typescript',
};

/** What only C++ has, in headers that may be of either language. */
const CPP_WORDS = /^[ \t]*(?:class|namespace|template|public:|private:|protected:|using)\b/m;

/** The grammar of a file by its extension, in lower case; undefined where there is none. */
export function grammarOf(extension: string, text: string): string | undefined {
  if (extension === 'tsx') return 'tsx';
  if (extension === 'h' && CPP_WORDS.test(text)) return 'cpp';
  return GRAMMAR_BY_LANGUAGE[formatOf(`file.${extension}`)?.language ?? ''];
}
