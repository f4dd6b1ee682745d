import MarkdownIt, { type Env, type Token } from 'markdown-it';
import { BlockKind } from '../model/document.js';
import { findFrontMatter } from './front-matter.js';
import { LineTable } from './lines.js';
import { isWordless } from './markdown-badges.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';

/** Headings longer than this, in UTF-16 units, keep their inline markup: they are paragraphs by accident. */
const MAX_INLINE_LENGTH = 1000;

const KIND_BY_TOKEN: Readonly<Record<string, BlockKind>> = {
  paragraph_open: BlockKind.prose,
  blockquote_open: BlockKind.prose,
  html_block: BlockKind.prose,
  fence: BlockKind.code,
  code_block: BlockKind.code,
  table_open: BlockKind.table,
  bullet_list_open: BlockKind.list,
  ordered_list_open: BlockKind.list,
};

const parser = new MarkdownIt({ html: true });
// Nobody follows these links; checking and escaping them is most of what a definition costs.
parser.validateLink = () => true;
parser.normalizeLink = (url) => url;

/**
 * What the block rules fill in, and no more. The parser's own class defines each field by a call, which took a fifth of
 * the time of reading.
 */
class BlockToken {
  map: [number, number] | null = null;
  content = '';
  markup = '';
  info = '';
  hidden = false;
  attrs: [string, string][] | null = null;
  meta: unknown = null;
  children = null;
  readonly block = true;

  constructor(
    readonly type: string,
    readonly tag: string,
    readonly nesting: number,
    readonly level: number,
  ) {}
}

parser.block.State = class extends MarkdownIt.StateBlock {
  override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
    if (nesting < 0) this.level--;
    const token = new BlockToken(type, tag, nesting, this.level) as unknown as Token;
    if (nesting > 0) this.level++;
    this.tokens.push(token);
    return token;
  }
};

/**
 * Markdown (CommonMark with tables): the text is the source itself, unchanged. Only the block structure is parsed, so
 * a page costs about as much as reading its lines. Blocks are the top level: a list is one, and so is a quote.
 * Definitions of links and paragraphs of badges are no blocks, so that no passage is made of them alone.
 * Headings inside quotes, lists and code open no section. Title: front matter, first H1, first heading.
 */
export function readMarkdown(text: string): ParsedText {
  const lines = new LineTable(text);
  const outline = new Outline();
  const front = findFrontMatter(lines);
  const bodyLine = front?.endLine ?? 0;
  if (front) {
    const kind = front.valid ? BlockKind.frontMatter : BlockKind.prose;
    outline.block(0, lines.contentEnd(bodyLine - 1), kind);
  }
  addMarkdownBlocks(lines, bodyLine, outline);
  const metadata = front?.metadata ?? {};
  const title = titleOf(metadata.title) ?? outline.firstHeading(1) ?? outline.firstHeading();
  return { text, title, metadata, ...outline.build(text.length) };
}

function titleOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Adds the blocks of the lines from `bodyLine` on; the outline's text holds these lines from `shift` on. */
export function addMarkdownBlocks(lines: LineTable, bodyLine: number, outline: Outline, shift = 0): void {
  // The parser counts LF only; our own table has the true positions whatever ends the lines.
  const body = normaliseLineEnds(lines.text.slice(lines.start(bodyLine)));
  const env: Env = {};
  const tokens: Token[] = [];
  parser.block.parse(body, parser, env, tokens);
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.level !== 0 || token.nesting < 0 || !token.map) continue;
    const from = bodyLine + token.map[0];
    const start = shift + lines.start(from);
    const end = shift + lines.trimmedEnd(from, bodyLine + token.map[1]);
    const kind = KIND_BY_TOKEN[token.type];
    if (token.type === 'heading_open') {
      outline.heading(start, end, Number(token.tag.slice(1)), inlineText(tokens[i + 1]!.content, env));
    } else if (
      kind !== undefined &&
      !(kind === BlockKind.prose && isWordless(lines.text.slice(start - shift, end - shift)))
    ) {
      outline.block(start, end, kind);
    }
  }
}

function normaliseLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/**
 * What a reader sees of inline markup: the words of links, code and emphasis. Images next to words are badges as a
 * rule, so their alternative text counts only where there is nothing else.
 */
function inlineText(markup: string, env: Env): string {
  if (markup.length > MAX_INLINE_LENGTH || !/[\\`*_[\]<&~!]/.test(markup)) return markup;
  const tokens: Token[] = [];
  parser.inline.parse(markup, parser, env, tokens);
  const words = tokens.map((token) => visibleText(token, false)).join('');
  return words.trim() === '' ? tokens.map((token) => visibleText(token, true)).join('') : words;
}

function visibleText(token: Token, images: boolean): string {
  if (token.type === 'image') {
    return images ? (token.children ?? []).map((child) => visibleText(child, images)).join('') : '';
  }
  if (token.type === 'softbreak' || token.type === 'hardbreak') return ' ';
  return token.type === 'html_inline' ? '' : token.content;
}
