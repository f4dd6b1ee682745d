import { type JsonContainers, jsonCommentEnd, jsonStringEnd } from './json-containers.js';

const COLON = 58;
const COMMA = 44;

/** A member of an object or an element of an array. */
export interface JsonMember {
  /** Where its key begins; for an element, or a comment before it, where that does. */
  readonly start: number;
  /** Where its value begins. */
  readonly value: number;
  /** Behind its value, the comma excluded. */
  readonly end: number;
  /** The key with its quotes and escapes; '' for elements. */
  readonly rawKey: string;
  /** Index of the container that its value is, -1 for a scalar. */
  readonly container: number;
}

/** Members of the container, in order; costs its own characters, not those of containers within. */
export function jsonMembers(text: string, containers: JsonContainers, container: number): JsonMember[] {
  const members: JsonMember[] = [];
  const end = containers.end[container]!;
  const last = /[\]}]/.test(text[end - 1]!) && end - 1 > containers.open[container]! ? end - 1 : end;
  let inner = container + 1;
  let at = containers.open[container]! + 1;
  while (at < last) {
    const scan = new MemberScan(text, at, last);
    if (scan.read(containers, inner)) {
      members.push(scan);
      if (scan.container >= 0) inner = containers.next[scan.container]!;
    }
    at = scan.after;
  }
  return members;
}

class MemberScan implements JsonMember {
  start = -1;
  value = -1;
  end = -1;
  rawKey = '';
  container = -1;
  /** Where the next member may begin. */
  after: number;

  constructor(
    readonly text: string,
    from: number,
    readonly last: number,
  ) {
    this.after = from;
  }

  /** Reads up to the next comma; false if nothing but white space and comments was there. */
  read(containers: JsonContainers, inner: number): boolean {
    const { text, last } = this;
    let at = this.after;
    for (; at < last; at++) {
      const code = text.charCodeAt(at);
      if (code <= 32) continue;
      if (code === COMMA) break;
      if (code === COLON && this.value >= 0 && this.rawKey === '' && this.container < 0) {
        this.rawKey = text.slice(this.value, this.end);
        this.value = -1;
        continue;
      }
      const from = at;
      at = this.#tokenEnd(at, code, containers, inner) - 1;
      const isComment = code === 47 && at > from;
      if (this.start < 0) this.start = from;
      if (isComment) continue;
      if (this.value < 0) this.value = from;
      this.end = at + 1;
    }
    this.after = at + 1;
    if (this.start < 0 || (this.value < 0 && this.rawKey === '')) return false;
    if (this.value < 0) this.value = at;
    if (this.end < this.value) this.end = at;
    return true;
  }

  #tokenEnd(at: number, code: number, containers: JsonContainers, inner: number): number {
    if (code === 34 || code === 39) return Math.max(at + 1, jsonStringEnd(this.text, at));
    if (code === 47) return Math.max(at + 1, jsonCommentEnd(this.text, at));
    if ((code === 123 || code === 91) && this.container < 0 && containers.open[inner] === at) {
      this.container = inner;
      return containers.end[inner]!;
    }
    return at + 1;
  }
}

/** What a key says, without quotes and escapes. */
export function jsonKey(rawKey: string): string {
  const key = rawKey.trim();
  if (!/^(["']).*\1$/s.test(key)) return key;
  try {
    return String(JSON.parse(`"${key.slice(1, -1).replaceAll("\\'", "'")}"`));
  } catch {
    return key.slice(1, -1);
  }
}
