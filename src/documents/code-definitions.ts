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
    signature: signatureAt(text, outline, row),
  }));
}

/** Longer ones are cut, because headings are for reading and stand before every chunk. */
const MAX_SIGNATURE_LENGTH = 160;

function signatureAt(text: string, outline: NativeCodeOutline, row: number): string {
  const words = text.slice(outline.signatureStart[row]!, outline.signatureEnd[row]!);
  const name = text.slice(outline.nameStart[row]!, outline.nameEnd[row]!);
  const line = closed(
    words
      .replace(/\s+/g, ' ')
      .replace(/(?:=>|[\s{=:;,])+$/, '')
      .trim(),
  );
  // C names an anonymous struct behind its body.
  const named =
    name === '' || name.length > 80 || line.includes(name.split(/\s/)[0]!) ? line : `${line} ${name}`;
  if (named.length <= MAX_SIGNATURE_LENGTH) return named;
  return `${named
    .slice(0, MAX_SIGNATURE_LENGTH)
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
