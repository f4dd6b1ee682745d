/** Documents for tests: a few rules of Markdown are enough here, and no other stage is needed. */

import fc from 'fast-check';
import { BlockKind, type Document, type BlockKind as Kind } from '../../src/model/document.js';

interface Block {
  start: number;
  end: number;
  kind: Kind;
  section: number;
}

interface Section {
  start: number;
  end: number;
  level: number;
  parent: number;
  heading: string;
}

export function makeDocument(text: string, sections: Section[], blocks: Block[], title = ''): Document {
  const all = [{ start: 0, end: text.length, level: 0, parent: -1, heading: '' }, ...sections];
  return {
    id: 'd',
    source: 'd',
    title,
    format: 'markdown',
    text,
    metadata: {},
    sections: {
      start: Uint32Array.from(all, (s) => s.start),
      end: Uint32Array.from(all, (s) => s.end),
      level: Uint8Array.from(all, (s) => s.level),
      parent: Int32Array.from(all, (s) => s.parent),
      heading: all.map((s) => s.heading),
    },
    blocks: {
      start: Uint32Array.from(blocks, (b) => b.start),
      end: Uint32Array.from(blocks, (b) => b.end),
      kind: Uint8Array.from(blocks, (b) => b.kind),
      section: Uint32Array.from(blocks, (b) => b.section),
    },
  };
}

/** Text without any structure. */
export function plain(text: string, title = ''): Document {
  return makeDocument(text, [], [{ start: 0, end: text.length, kind: BlockKind.prose, section: 0 }], title);
}

function kindOf(line: string): Kind {
  if (/^#{1,6} /.test(line)) return BlockKind.heading;
  if (/^(`{3}|~{3})/.test(line)) return BlockKind.code;
  if (/^\|/.test(line)) return BlockKind.table;
  if (/^\s*([-*]|\d+\.) /.test(line)) return BlockKind.list;
  return BlockKind.prose;
}

/** Blocks by their first line; front matter, fences (closed or not), tables, lists, headings, paragraphs. */
export function markdown(text: string, title = ''): Document {
  const lines = [...text.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)].filter((m) => m[0] !== '');
  const blocks: Block[] = [];
  const sections: Section[] = [];
  let open = 0;
  let fence = '';
  for (const [row, match] of lines.entries()) {
    const line = match[1]!;
    const [start, end] = [match.index, match.index + line.length];
    const last = blocks.at(-1);
    if (fence !== '') {
      if (line !== '') last!.end = end;
      if (line === fence) fence = '';
      continue;
    }
    if (row === 0 && line === '---') {
      fence = '---';
      blocks.push({ start, end, kind: BlockKind.frontMatter, section: 0 });
      continue;
    }
    if (line.trim() === '') continue;
    const follows = row > 0 && lines[row - 1]![1]!.trim() !== '';
    const continues = follows && last?.kind === BlockKind.list && /^\s/.test(line);
    const kind = continues ? BlockKind.list : kindOf(line);
    if (kind === BlockKind.heading) {
      const level = line.indexOf(' ');
      while (open > 0 && sections[open - 1]!.level >= level) {
        sections[open - 1]!.end = start;
        open = sections[open - 1]!.parent;
      }
      sections.push({ start, end: text.length, level, parent: open, heading: line.slice(level + 1).trim() });
      open = sections.length;
    }
    if (kind === BlockKind.code) fence = line.slice(0, 3);
    const joins = follows && last?.kind === kind && kind !== BlockKind.code && kind !== BlockKind.heading;
    if (joins) last.end = end;
    else blocks.push({ start, end, kind, section: open });
  }
  return makeDocument(text, sections, blocks, title);
}

const CHARS = [
  ...'abcdefghij ABC 0129 .,;!?-_|#`*()[]{}"\'/<>',
  ...'éöñ',
  'e\u0301',
  'a\u0308\u0323',
  ...'中文字漢語、。，「」',
  ...'カナひら',
  ...'한국어',
  'ไท',
  'नि',
  'क्ष',
  '🙂',
  '👨‍👩‍👧‍👦',
  '🇩🇪',
  '👍🏽',
  '\u200d',
  '\ufeff',
  '\u00a0',
  '\u3000',
  '\t',
  '\n',
  '\r\n',
  '\r',
  '\n\n',
  '    ',
  '\ud83d',
  '\ude00',
  '\u0000',
  '\ufffd',
];

const word = fc.stringMatching(/^[a-z]{1,9}$/);
export const sentence = fc.array(word, { minLength: 1, maxLength: 14 }).map((words) => `${words.join(' ')}.`);

/** Text of every sort of character, words and long runs. */
export const wildText = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...CHARS) },
      { weight: 3, arbitrary: word },
      { weight: 1, arbitrary: sentence },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom(...CHARS), fc.integer({ min: 1, max: 60 }))
          .map(([c, n]) => c.repeat(n)),
      },
    ),
    { maxLength: 80 },
  )
  .map((parts) => parts.join(''));

const block = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 4 }), sentence).map(([level, text]) => `${'#'.repeat(level)} ${text}`),
  fc.array(sentence, { minLength: 1, maxLength: 8 }).map((s) => s.join(' ')),
  fc
    .array(word, { minLength: 1, maxLength: 30 })
    .map((w) => ['```ts', ...w.map((x) => `  ${x}();`), '```'].join('\n')),
  fc
    .array(fc.tuple(word, sentence), { minLength: 1, maxLength: 20 })
    .map((rows) => ['| a | b |', '|-----|---|', ...rows.map(([a, b]) => `| ${a} | ${b} |`)].join('\n')),
  fc
    .array(sentence, { minLength: 1, maxLength: 10 })
    .map((items) => items.map((item) => `- ${item}`).join('\n')),
  wildText.filter((text) => !/^---/.test(text)),
);

/** Markdown of random blocks, with any line ending. */
export const wildMarkdown = fc
  .tuple(fc.array(block, { maxLength: 10 }), fc.constantFrom('\n', '\r\n', '\r'), fc.boolean())
  .map(([blocks, ending, front]) => {
    const body = blocks.join('\n\n');
    return markdown((front ? `---\ntitle: x\n---\n${body}` : body).replaceAll('\n', ending), 'Some title');
  });

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Sections and blocks cut at random into random text: chunkers may not lean on anything that the columns don't say. */
export const wildStructure = fc
  .tuple(
    wildText,
    fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 11 })), {
      maxLength: 12,
    }),
  )
  .map(([text, marks]) => {
    // Readers cut between lines, so never inside a grapheme.
    const borders = [...graphemes.segment(text)].map((g) => g.index).concat(text.length);
    const snap = (at: number) => borders.findLast((border) => border <= at)!;
    const sorted = marks
      .map(([share, code]) => ({ at: snap(share * text.length), code }))
      .sort((a, b) => a.at - b.at);
    const sections: Section[] = [];
    const blocks: Block[] = [];
    let open = 0;
    for (const [i, { at, code }] of sorted.entries()) {
      const end =
        code % 3 === 0
          ? snap(at + ((sorted[i + 1]?.at ?? text.length) - at) / 2)
          : (sorted[i + 1]?.at ?? text.length);
      const kind = (code % 5) as Kind;
      if (kind === BlockKind.heading) {
        while (open > 0 && sections[open - 1]!.level >= 1 + (code % 4)) {
          sections[open - 1]!.end = at;
          open = sections[open - 1]!.parent;
        }
        sections.push({
          start: at,
          end: text.length,
          level: 1 + (code % 4),
          parent: open,
          heading: text.slice(at, end).slice(0, 20),
        });
        open = sections.length;
      }
      if (end > at) blocks.push({ start: at, end, kind, section: open });
    }
    return makeDocument(text, sections, blocks, 'T');
  });

const mark = fc.constantFrom(
  'Article 5',
  'ARTICLE II -',
  'Section 3.',
  'Section 3.1',
  '§ 12',
  '§ 12 (3)',
  '1.',
  '2)',
  '1.1',
  '1.2',
  '4.2.1',
  '4.2.2.',
  '(a)',
  '(b)',
  '(i)',
  '(ii)',
  '(a)(ii)',
  '第一章',
  '第三条',
  'Schedule 1',
  'Q:',
  'A:',
  '**Q1.**',
  'Question 2:',
  '- ',
  '- **Is it?**',
  '**Why so?**',
  '问：',
  '答：',
);
const tail = fc.constantFrom('', '?', '.', ';', ' and', '**', '？');

/** Markdown full of numbers of clauses, questions and answers, at random. */
export const wildMarked = fc
  .tuple(
    fc.array(
      fc.oneof(
        {
          weight: 5,
          arbitrary: fc.tuple(mark, sentence, tail).map(([m, s, t]) => `${m} ${s.slice(0, -1)}${t}`),
        },
        { weight: 2, arbitrary: block },
        { weight: 1, arbitrary: mark },
        { weight: 1, arbitrary: sentence },
      ),
      { maxLength: 30 },
    ),
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([lines, ending, gap]) =>
    markdown(
      lines
        .map((line, i) => line + (i % gap === 0 ? '\n\n' : '\n'))
        .join('')
        .replaceAll('\n', ending),
      'T',
    ),
  );
