import { BlockKind } from '../model/document.js';
import { type JsonContainers, jsonContainers } from './json-containers.js';
import { type JsonMember, jsonKey, jsonMembers } from './json-members.js';
import { Outline } from './outline.js';
import type { ParsedText } from './parsed.js';

/** An object or array longer than this, in UTF-16 units, is taken apart: it is more than one chunk as a rule. */
const MAX_WHOLE_LENGTH = 1000;
/** Keys down to this depth head sections. */
const SECTION_DEPTH = 3;
/** Sections of one document; what comes later is text of the last ones. */
const MAX_SECTIONS = 20_000;
/** Deepest nesting that is taken apart. */
const MAX_DEPTH = 64;
/** Keys whose strings name an object in an array, in order of preference. */
const NAMING_KEYS = ['name', 'title', 'id', 'key', 'operationId'] as const;
const MAX_NAME_LENGTH = 100;

/**
 * JSON, with comments and trailing commas too: the text is the source itself, and all blocks are code. Members of long
 * objects are sections by their keys, down to the third level; so are objects in long arrays if each has a name, title
 * or id. Below that, blocks end between members, so that JSON of one line is cut where its values end. Never throws on
 * broken JSON; linear in the size.
 */
export function readJson(text: string): ParsedText {
  return new JsonReader(text).read();
}

class JsonReader {
  readonly #containers: JsonContainers;
  readonly #outline = new Outline();
  #sections = 0;
  #title: string | undefined;

  constructor(readonly text: string) {
    this.#containers = jsonContainers(text);
  }

  read(): ParsedText {
    const { text } = this;
    const end = text.trimEnd().length;
    const { open, end: ends } = this.#containers;
    let at = text.length - text.trimStart().length;
    // More than one value is not JSON, but each is worth the same care.
    for (let root = 0; root < open.length; root = this.#containers.next[root]!) {
      this.#code(at, open[root]!);
      this.#readContainer(root, open[root]!, 1);
      at = ends[root]!;
    }
    this.#code(at, end);
    return { text, title: this.#title, metadata: {}, ...this.#outline.build(text.length) };
  }

  /** Makes blocks of a container; `from` is where its first block may begin. */
  #readContainer(container: number, from: number, depth: number): void {
    const end = this.#containers.end[container]!;
    if ((end - from <= MAX_WHOLE_LENGTH && depth > 1) || depth > MAX_DEPTH) {
      this.#code(from, end);
      return;
    }
    const members = jsonMembers(this.text, this.#containers, container);
    if (depth === 1) this.#title = this.#titleIn(members);
    if (end - from <= MAX_WHOLE_LENGTH) this.#code(from, end);
    else if (depth <= SECTION_DEPTH && this.#sections + members.length <= MAX_SECTIONS) {
      this.#readMembers(members, from, end, depth);
    } else this.#readGroups(members, from, end, depth);
  }

  /** Each member a section, if each has a name. */
  #readMembers(members: readonly JsonMember[], from: number, end: number, depth: number): void {
    const names = this.#namesOf(members);
    if (!names) {
      this.#readGroups(members, from, end, depth);
      return;
    }
    this.#sections += members.length;
    let at = from;
    for (const [i, member] of members.entries()) {
      const { start, value, container } = member;
      this.#between(at, start);
      // The head is what names the member: its key, or where an element begins.
      const head = member.rawKey === '' ? start + 1 : Math.max(start + 1, value);
      this.#outline.heading(start, this.#trimmed(start, head), depth, names[i]!);
      const last = i + 1 === members.length ? end : member.end;
      if (container >= 0 && member.end - value > MAX_WHOLE_LENGTH) {
        this.#readContainer(container, head, depth + 1);
        // Broken JSON goes on behind a value before its comma comes.
        this.#code(this.#containers.end[container]!, last);
      } else this.#code(head, last);
      at = last;
    }
    if (members.length === 0) this.#code(from, end);
  }

  /** Brackets between members are no loss; a comment is, and what broken JSON has there. */
  #between(from: number, to: number): void {
    if (/[\p{L}\p{N}]/u.test(this.text.slice(from, to))) this.#code(from, to);
  }

  /** Members together up to the length of a whole block; longer ones are taken apart in turn. */
  #readGroups(members: readonly JsonMember[], from: number, end: number, depth: number): void {
    let at = from;
    for (const member of members) {
      if (member.end - at <= MAX_WHOLE_LENGTH) continue;
      if (member.start > at) this.#code(at, member.start);
      at = member.start;
      if (member.end - at <= MAX_WHOLE_LENGTH) continue;
      if (member.container >= 0) {
        this.#readContainer(member.container, at, Math.max(depth, SECTION_DEPTH) + 1);
        at = this.#containers.end[member.container]!;
      } else {
        this.#code(at, member.end);
        at = member.end;
      }
    }
    this.#code(at, end);
  }

  #namesOf(members: readonly JsonMember[]): string[] | undefined {
    const names: string[] = [];
    for (const member of members) {
      const name = member.rawKey === '' ? this.#nameOf(member) : jsonKey(member.rawKey);
      if (name === undefined) return undefined;
      names.push(name);
    }
    return names;
  }

  /** What an object in an array calls itself. */
  #nameOf(member: JsonMember): string | undefined {
    if (member.container < 0 || this.text[member.value] !== '{') return undefined;
    const strings = this.#stringsOf(jsonMembers(this.text, this.#containers, member.container));
    const key = NAMING_KEYS.find((candidate) => strings.has(candidate));
    return key && strings.get(key);
  }

  /** Short strings among members, by key. */
  #stringsOf(members: readonly JsonMember[]): Map<string, string> {
    const strings = new Map<string, string>();
    for (const { rawKey, value, end, container } of members) {
      if (container >= 0 || end - value > MAX_NAME_LENGTH || this.text[value] !== '"') continue;
      const text = jsonKey(this.text.slice(value, end)).trim();
      if (text !== '') strings.set(jsonKey(rawKey), text);
    }
    return strings;
  }

  /** `title`, or `info.title` as API descriptions have it. */
  #titleIn(members: readonly JsonMember[]): string | undefined {
    const own = this.#stringsOf(members).get('title');
    const info = members.find((member) => member.container >= 0 && jsonKey(member.rawKey) === 'info');
    if (own !== undefined || !info) return own;
    return this.#stringsOf(jsonMembers(this.text, this.#containers, info.container)).get('title');
  }

  /** Adds the text as a block of code, without white space and commas around it. */
  #code(from: number, to: number): void {
    let start = from;
    while (start < to && /[\s,]/.test(this.text[start]!)) start++;
    const end = this.#trimmed(start, to);
    if (end > start) this.#outline.block(start, end, BlockKind.code);
  }

  #trimmed(start: number, to: number): number {
    let end = to;
    while (end > start && /[\s,]/.test(this.text[end - 1]!)) end--;
    return end;
  }
}
