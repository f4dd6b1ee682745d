import { addon } from '../native/addon.js';
import type { NativeCodeOutline } from '../native/contract.js';
import { grammarOf } from './code-grammar.js';

/** A class, function or the like, with the comments that belong to it. Parents come before their children. */
export interface CodeDefinition {
  /** UTF-16 positions. */
  start: number;
  end: number;
  /** 1 to 6. */
  readonly depth: number;
  /** On one line, without the body: `describe(prefix: string): string`. */
  readonly signature: string;
  /** As prose speaks of it: `describe()`, `Nest`. */
  readonly name: string;
}

/** The definitions of a source text in order; empty where its language or its shape gives none. */
export function findDefinitions(text: string, extension: string): CodeDefinition[] {
  if (extension === 'vue' || extension === 'svelte') return definitionsOfScripts(text);
  const grammar = grammarOf(extension, text);
  return grammar === undefined ? [] : definitionsIn(text, grammar, 0);
}

/** Either end of a script element, so that many that are never closed are still looked through once. */
const SCRIPT_TAG = /<script\b([^<>]*)>|<\/script\s*>/gi;

/** Of a component with its script in elements. TypeScript's grammar reads JavaScript, too. */
function definitionsOfScripts(text: string): CodeDefinition[] {
  const definitions: CodeDefinition[] = [];
  let open: { at: number; grammar: string } | undefined;
  for (const { 0: tag, 1: attributes, index } of text.matchAll(SCRIPT_TAG)) {
    if (attributes !== undefined) {
      const grammar = /\b[jt]sx\b/.test(attributes) ? 'tsx' : 'typescript';
      open ??= { at: index + tag.length, grammar };
    } else if (open !== undefined) {
      for (const one of definitionsIn(text.slice(open.at, index), open.grammar, open.at))
        definitions.push(one);
      open = undefined;
    }
  }
  return definitions;
}

function definitionsIn(text: string, grammar: string, offset: number): CodeDefinition[] {
  const outline = addon().codeOutline(grammar, text);
  if (outline === null) return [];
  return Array.from(outline.depth, (depth, row) => ({
    start: outline.start[row]! + offset,
    end: outline.end[row]! + offset,
    depth,
    ...calledAt(text, outline, row),
  }));
}

/** Longer ones say `…` for their parameters, because headings are for reading and stand before every chunk. */
const MAX_SIGNATURE_LENGTH = 100;
const MAX_NAME_LENGTH = 60;
/** Of the addon's kinds of definitions. */
const FUNCTION_KIND = 2;

/** The heading and the name of a definition. */
function calledAt(
  text: string,
  outline: NativeCodeOutline,
  row: number,
): Pick<CodeDefinition, 'signature' | 'name'> {
  const words = text.slice(outline.signatureStart[row]!, outline.signatureEnd[row]!);
  const line = closed(oneLine(words).replace(/(?:=>|[\s{=:;,\\])+$/, ''));
  const name = nameIn(line, oneLine(text.slice(outline.nameStart[row]!, outline.nameEnd[row]!)));
  // C names an anonymous struct behind its body.
  const isNamed = name === '' || name.length > 80 || line.includes(name.split(' ')[0]!);
  const named = isNamed ? line : `${line} ${name}`;
  const isLong = named.length > MAX_SIGNATURE_LENGTH;
  const signature = isLong ? withoutParameters(named.replace(/ where .*$/, ''), name) : named;
  const isCalled = outline.kind[row] === FUNCTION_KIND && name !== '' && !MACRO.test(name);
  const bare = name === '' || MACRO.test(name) ? withoutGenerics(signature.split(' where ')[0]!) : name;
  return {
    signature: shortened(signature, MAX_SIGNATURE_LENGTH),
    name: shortened(isCalled ? `${name}()` : bare, MAX_NAME_LENGTH),
  };
}

/** What C has in the place of a name says little without its parameters: `TEST(Owls, Fly)`. */
const MACRO = /^_*[A-Z][A-Z\d_]{2,}$/;

/** The name that a macro wraps: `__NTH (argz_next (…))`. */
function nameIn(line: string, name: string): string {
  if (!MACRO.test(name)) return name;
  const behind = line.slice(line.indexOf(name) + name.length);
  return /^ ?\((\w+) ?\(/.exec(behind)?.[1] ?? name;
}

/** What explains a parameter, and is none. */
const COMMENTS = /\/\*[\s\S]*?(?:\*\/|$)|(?<=\s)(?:\/\/|#)\s[^\n\r]*/g;

/** Without comments, and without the white space that breaks a long list of parameters. */
function oneLine(words: string): string {
  return words
    .replace(COMMENTS, ' ')
    .replace(/\s+/g, ' ')
    .replace(/([([]) /g, '$1')
    .replace(/,? ([)\]])/g, '$1')
    .trim();
}

/** `fly(from: string, to: string): void` → `fly(…): void`, if it is too long. */
function withoutParameters(line: string, name: string): string {
  if (line.length <= MAX_SIGNATURE_LENGTH) return line;
  const open = parametersAt(line, line.indexOf(name) + name.length);
  let depth = 0;
  for (let at = open; at < line.length; at++) {
    if (line[at] === '(') depth++;
    else if (line[at] === ')' && --depth === 0) return `${line.slice(0, open)}(…)${line.slice(at + 1)}`;
  }
  return line;
}

/** Where the first parenthesis opens that is not among type parameters; the line's length if none does. */
function parametersAt(line: string, from: number): number {
  let angles = 0;
  for (let at = from; at < line.length; at++) {
    if (line[at] === '<') angles++;
    else if (line[at] === '>' && line[at - 1] !== '-' && line[at - 1] !== '=') angles--;
    else if (line[at] === '(' && angles <= 0) return at;
  }
  return line.length;
}

/** `impl<T: Owl<U>> Home for Nest<T>` → `impl Home for Nest`. */
function withoutGenerics(line: string): string {
  const inner = line.replaceAll('->', '').replace(/<[^<>]*>/g, '');
  return inner.length === line.length ? line : withoutGenerics(inner);
}

function shortened(line: string, length: number): string {
  if (line.length <= length) return line;
  return `${line
    .slice(0, length)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
    .trimEnd()}…`;
}

/** With the parentheses closed that enclose the body: `describe('a test', () => {`. */
function closed(line: string): string {
  let open = 0;
  for (const char of line) {
    if (char === '(') open++;
    else if (char === ')' && open > 0) open--;
  }
  return open > 0 && open <= 3 ? `${line.replace(/(?:\(\)|[\s,])+$/, '')}${')'.repeat(open)}` : line;
}
