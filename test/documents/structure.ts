import { expect } from 'vitest';
import type { Document } from '../../src/model/document.js';
import { BlockKind } from '../../src/model/document.js';

type Structured = Pick<Document, 'text' | 'sections' | 'blocks'>;

/** Asserts what every document promises: sections nest and cover, blocks ascend and lie in their sections. */
export function expectSound(document: Structured): void {
  expectSections(document);
  expectBlocks(document);
}

function expectSections({ text, sections }: Structured): void {
  expect([
    sections.start[0],
    sections.end[0],
    sections.level[0],
    sections.parent[0],
    sections.heading[0],
  ]).toEqual([0, text.length, 0, -1, '']);
  for (let i = 1; i < sections.start.length; i++) {
    const parent = sections.parent[i]!;
    expect(parent).toBeGreaterThanOrEqual(0);
    expect(parent).toBeLessThan(i);
    expect(sections.level[i]!).toBeGreaterThan(sections.level[parent]!);
    expect(sections.level[i]!).toBeLessThanOrEqual(6);
    expect(sections.start[i]!).toBeGreaterThanOrEqual(sections.start[i - 1]!);
    expect(sections.start[i]!).toBeLessThan(sections.end[i]!);
    expect(sections.start[i]!).toBeGreaterThanOrEqual(sections.start[parent]!);
    expect(sections.end[i]!).toBeLessThanOrEqual(sections.end[parent]!);
    // Neighbours either nest or follow each other.
    if (parent !== i - 1) expect(sections.start[i]!).toBeGreaterThanOrEqual(sections.end[i - 1]!);
  }
}

function expectBlocks({ text, sections, blocks }: Structured): void {
  for (let i = 0; i < blocks.start.length; i++) {
    const start = blocks.start[i]!;
    const end = blocks.end[i]!;
    const section = blocks.section[i]!;
    expect(start).toBeLessThan(end);
    expect(end).toBeLessThanOrEqual(text.length);
    if (i > 0) expect(start).toBeGreaterThanOrEqual(blocks.end[i - 1]!);
    expect(start).toBeGreaterThanOrEqual(sections.start[section]!);
    expect(end).toBeLessThanOrEqual(sections.end[section]!);
    const deeper = [...sections.parent.keys()].filter((s) => sections.parent[s] === section);
    for (const child of deeper)
      expect(start >= sections.start[child]! && start < sections.end[child]!).toBe(false);
    if (blocks.kind[i] === BlockKind.heading) expect(sections.start[section]).toBe(start);
  }
}

/** The text that no block covers. */
export function uncovered({ text, blocks }: Structured): string {
  let rest = '';
  let at = 0;
  for (let i = 0; i < blocks.start.length; i++) {
    rest += text.slice(at, blocks.start[i]!);
    at = blocks.end[i]!;
  }
  return rest + text.slice(at);
}

/** Blocks as [kind name, text]. */
export function blockTexts({ text, blocks }: Structured): [string, string][] {
  const names = Object.entries(BlockKind);
  return Array.from(blocks.start, (start, i) => [
    names.find(([, kind]) => kind === blocks.kind[i])![0],
    text.slice(start, blocks.end[i]!),
  ]);
}

/** The outline as indented headings. */
export function outlineOf({ sections }: Structured): string[] {
  return sections.heading.slice(1).map((heading, i) => `${'#'.repeat(sections.level[i + 1]!)} ${heading}`);
}

/** The raw line of the first place of the words, found by going through the text line by line. */
export function rawLineOf({ text, rawLines }: Pick<Document, 'text' | 'rawLines'>, words: string): number {
  const at = text.indexOf(words);
  expect(at, words).toBeGreaterThanOrEqual(0);
  if (!rawLines) return text.slice(0, at).split('\n').length;
  expect(rawLines.at[0]).toBe(0);
  let span = 0;
  while (span + 1 < rawLines.at.length && rawLines.at[span + 1]! <= at) {
    span++;
    expect(rawLines.at[span]!).toBeGreaterThan(rawLines.at[span - 1]!);
  }
  const lineEnds = text.slice(rawLines.at[span]!, at).split('\n').length - 1;
  return rawLines.line[span]! + (rawLines.follows[span] === 1 ? lineEnds : 0);
}

/** The letters and digits that no block covers and a reader of the page sees: those of Markdown's own markup are none. */
export function uncoveredWords(document: Structured): string {
  return uncovered(document)
    .replace(/<!--[\s\S]*?-->|<[^<>]*>|&\w+;/g, ' ')
    .replace(/^.*\[[^\]]+\]:\s*\S+(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?.*$/gm, ' ')
    .replace(/!\[[^[\]]{0,40}\](?:\([^()]*\)|\[[^[\]]*\])?/g, ' ')
    .replace(/\[\s*\](?:\([^()]*\)|\[[^[\]]*\])/g, ' ')
    .replace(/[^\p{L}\p{N}]/gu, '');
}
