import { jsonContainers } from './json-containers.js';
import { type JsonMember, jsonKey, jsonMembers } from './json-members.js';
import { LineTable } from './lines.js';

/** Lines of a notebook's cell, joined, and where they stand in the file. */
export interface CellText {
  readonly text: string;
  /** 1-based raw line of its first line. */
  readonly line: number;
  /** Whether each line of the text is a line of the file, as notebook programs write them. */
  readonly follows: boolean;
}

export interface NotebookCell {
  readonly type: string;
  readonly source: CellText;
  readonly outputs: readonly unknown[];
  /** Line at which the outputs begin; that of the source where there are none. */
  readonly outputLine: number;
  /** Images pasted into a Markdown cell, by name. */
  readonly attachments: unknown;
}

export interface Notebook {
  readonly metadata: unknown;
  readonly cells: readonly NotebookCell[];
}

/** The cells of a notebook (nbformat 3 and 4) with their raw lines; undefined if the text is no notebook. */
export function notebookCells(text: string): Notebook | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return new NotebookReader(text).read();
}

class NotebookReader {
  readonly #containers;
  readonly #lines: LineTable;

  constructor(readonly text: string) {
    this.#containers = jsonContainers(text);
    this.#lines = new LineTable(text);
  }

  read(): Notebook | undefined {
    if (this.#containers.open.length === 0) return undefined;
    const root = this.#object(0);
    let cells = this.#elements(root.get('cells'));
    for (const sheet of cells ? [] : (this.#elements(root.get('worksheets')) ?? [])) {
      const inner = sheet.container >= 0 ? this.#elements(this.#object(sheet.container).get('cells')) : [];
      cells = [...(cells ?? []), ...(inner ?? [])];
    }
    if (!cells) return undefined;
    return {
      metadata: this.#value(root.get('metadata')),
      cells: cells.filter((cell) => cell.container >= 0).map((cell) => this.#cell(cell.container)),
    };
  }

  #cell(container: number): NotebookCell {
    const members = this.#object(container);
    const source = this.#cellText(members.get('source') ?? members.get('input'));
    const outputs = members.get('outputs');
    const list = this.#value(outputs);
    return {
      type: String(this.#value(members.get('cell_type'))),
      source,
      outputs: Array.isArray(list) ? list : [],
      outputLine: outputs ? this.#lineOf(outputs.value) : source.line,
      attachments: this.#value(members.get('attachments')),
    };
  }

  #cellText(member: JsonMember | undefined): CellText {
    const value = this.#value(member);
    const line = member ? this.#lineOf(member.value) : 1;
    if (typeof value === 'string') return { text: value, line, follows: false };
    if (!member || !Array.isArray(value)) return { text: '', line, follows: false };
    const elements = this.#elements(member) ?? [];
    const first = elements[0] ? this.#lineOf(elements[0].value) : line;
    const follows = elements.every((element, i) => this.#lineOf(element.value) === first + i);
    return { text: value.map(String).join(''), line: first, follows };
  }

  #object(container: number): Map<string, JsonMember> {
    const members = jsonMembers(this.text, this.#containers, container);
    return new Map(members.map((member) => [jsonKey(member.rawKey), member]));
  }

  #elements(member: JsonMember | undefined): JsonMember[] | undefined {
    if (!member || member.container < 0 || this.text[member.value] !== '[') return undefined;
    return jsonMembers(this.text, this.#containers, member.container);
  }

  #value(member: JsonMember | undefined): unknown {
    return member ? JSON.parse(this.text.slice(member.value, member.end)) : undefined;
  }

  #lineOf(at: number): number {
    return this.#lines.lineAt(at) + 1;
  }
}
