import { parse as parseTomlText, TomlDate } from 'smol-toml';
import { parseDocument, type ScalarTag } from 'yaml';
import type { Metadata } from '../model/document.js';
import { toMetadata } from './clean.js';
import type { LineTable } from './lines.js';

/** Longest front matter that is parsed, in UTF-16 units; a longer one is text, like one that is broken. */
const MAX_FRONT_MATTER_LENGTH = 256 * 1024;

export interface FrontMatter {
  /** Lines [0, endLine) are front matter, fences included. */
  readonly endLine: number;
  /** Undefined if it is broken. */
  readonly metadata: Metadata | undefined;
  /** False for broken YAML or TOML: the lines are then prose like any other. */
  readonly valid: boolean;
}

/**
 * Front matter at the very start of a Markdown file: YAML between `---` lines (or up to `...`), TOML between `+++`
 * lines, or a JSON object from a line that begins with `{` to a line `}`. Never throws. A first line of dashes over
 * something that is no mapping is a thematic break, and braces around what is no JSON are text: not front matter.
 */
export function findFrontMatter(lines: LineTable): FrontMatter | undefined {
  if (lines.count < 2) return undefined;
  const fence = lines.line(0).trimEnd();
  if (fence.startsWith('{')) return jsonFrontMatter(lines);
  if (fence !== '---' && fence !== '+++') return undefined;
  const close = closingLine(lines, fence);
  if (close < 0) return undefined;
  const endLine = close + 1;
  const source = lines.text.slice(lines.start(1), lines.start(close));
  const parsed = fence === '+++' ? parseToml(source) : parseYaml(source);
  if (parsed === 'broken') return { endLine, metadata: undefined, valid: false };
  return parsed === 'scalar' ? undefined : { endLine, metadata: parsed, valid: true };
}

function jsonFrontMatter(lines: LineTable): FrontMatter | undefined {
  const close = closingLine(lines, '}');
  if (close < 0) return undefined;
  try {
    const value: unknown = JSON.parse(lines.text.slice(0, lines.contentEnd(close)));
    return { endLine: close + 1, metadata: toMetadata(value as object), valid: true };
  } catch {
    return undefined;
  }
}

function closingLine(lines: LineTable, fence: string): number {
  for (let line = 1; line < lines.count && lines.start(line) <= MAX_FRONT_MATTER_LENGTH; line++) {
    const content = lines.line(line).trimEnd();
    if (content === fence || (fence === '---' && content === '...')) return line;
  }
  return -1;
}

function parseToml(source: string): Metadata | 'broken' {
  try {
    const value = parseTomlText(source.replace(/\r\n?/g, '\n'), { integersAsBigInt: 'asNeeded' });
    return toMetadata(withPlainDates(value) as object);
  } catch {
    return 'broken';
  }
}

/** Dates as they are written, points in time in UTC: the same as in YAML. */
function withPlainDates(value: unknown): unknown {
  if (value instanceof TomlDate) {
    return value.isDateTime() ? new Date(value.getTime()).toISOString() : value.toISOString();
  }
  if (Array.isArray(value)) return value.map(withPlainDates);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withPlainDates(item)]));
}

function parseYaml(source: string): Metadata | 'broken' | 'scalar' {
  try {
    const document = parseDocument(source.replace(/\r\n?/g, '\n'), {
      logLevel: 'silent',
      uniqueKeys: false,
      customTags: (tags) => [...tags, timestamp],
    });
    if (document.errors.length > 0) return 'broken';
    const value: unknown = document.toJS();
    if (value === null || value === undefined) return {};
    return typeof value === 'object' && !Array.isArray(value) ? toMetadata(value) : 'scalar';
  } catch {
    // Too many aliases, too deep, an unresolvable tag: what is no data stays text.
    return 'broken';
  }
}

/**
 * A date stays as it is written; a point in time becomes UTC, so that strings compare like the times they name.
 * Without a zone it is read as UTC, as YAML has it.
 */
const timestamp: ScalarTag = {
  tag: 'tag:yaml.org,2002:timestamp',
  default: true,
  test: /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}(?:\.\d+)?[ \t]*(?:Z|[-+]\d{1,2}(?::?\d{2})?)?)?$/,
  resolve(text) {
    const [, year, month, day, rest] = /^(\d{4})-(\d{1,2})-(\d{1,2})(.*)$/.exec(text)!;
    const date = `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`;
    if (rest === '') return date;
    const [, hour, minute, second, zone] = /(\d{1,2}):(\d{2}):(\d{2}(?:\.\d+)?)[ \t]*(.*)$/.exec(rest!)!;
    const time = Date.parse(`${date}T${hour!.padStart(2, '0')}:${minute}:${second}${isoZone(zone!)}`);
    return Number.isNaN(time) ? text : new Date(time).toISOString();
  },
};

function isoZone(zone: string): string {
  const parts = /^([-+])(\d{1,2}):?(\d{2})?$/.exec(zone);
  return parts ? `${parts[1]}${parts[2]!.padStart(2, '0')}:${parts[3] ?? '00'}` : 'Z';
}
