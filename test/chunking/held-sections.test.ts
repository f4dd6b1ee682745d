import fc from 'fast-check';
import { expect, it } from 'vitest';
import { heldNames } from '../../src/chunking/held-sections.js';
import type { SectionColumns } from '../../src/model/document.js';

/** The slow twin: all sections are looked at, and the text that each has in the piece. */
function slowly(sections: SectionColumns, start: number, end: number, section: number): string[] {
  const rows = [...sections.parent.keys()].filter(
    (row) => sections.parent[row] === section && sections.start[row]! < end && sections.end[row]! > start,
  );
  if (rows.length === 0) return [];
  const names = [...new Set(rows.map((row) => sections.name![row]!))].join(', ');
  return [names, ...(rows.length === 1 ? slowly(sections, start, end, rows[0]!) : [])];
}

/** Sections that nest or follow each other: parentheses at random places. */
const tree = fc.array(fc.tuple(fc.boolean(), fc.nat(4)), { maxLength: 30 }).map((steps) => {
  const rows = [{ start: 0, end: -1, parent: -1, name: '' }];
  const open = [0];
  let at = 0;
  for (const [opens, length] of steps) {
    at += length;
    if (opens) {
      rows.push({ start: at, end: -1, parent: open.at(-1)!, name: `n${rows.length % 5}()` });
      open.push(rows.length - 1);
      at++;
    } else if (open.length > 1) rows[open.pop()!]!.end = at;
  }
  for (const row of open) rows[row]!.end = at + 5;
  return rows;
});

function columns(
  rows: readonly { start: number; end: number; parent: number; name: string }[],
): SectionColumns {
  return {
    start: Uint32Array.from(rows, ({ start }) => start),
    end: Uint32Array.from(rows, ({ end }) => end),
    level: Uint8Array.from(rows, ({ parent }) => (parent < 0 ? 0 : 1)),
    parent: Int32Array.from(rows, ({ parent }) => parent),
    heading: rows.map(({ name }) => name),
    name: rows.map(({ name }) => name),
  };
}

it('names those right below the section that the piece holds text of', () => {
  fc.assert(
    fc.property(tree, fc.nat(), fc.nat(), fc.nat(), (rows, pick, from, length) => {
      const section = pick % rows.length;
      const { start: first, end: last } = rows[section]!;
      const start = first + (from % (last - first));
      const end = start + 1 + (length % (last - start));
      const sections = columns(rows);
      expect(heldNames(sections, { start, end, section })).toEqual(slowly(sections, start, end, section));
    }),
    { numRuns: 500 },
  );
});

it('says `…` for the rest of many', () => {
  const rows = Array.from({ length: 50 }, (_, i) => ({
    start: i,
    end: i + 1,
    parent: 0,
    name: `method${i}()`,
  }));
  const sections = columns([{ start: 0, end: 50, parent: -1, name: '' }, ...rows]);
  const [names] = heldNames(sections, { start: 0, end: 50, section: 0 });
  expect(names).toMatch(/^method0\(\), method1\(\), .*\), …$/);
  expect(names!.length).toBeLessThan(170);
});

it('says nothing where sections have no names', () => {
  const { name: _, ...sections } = columns([
    { start: 0, end: 2, parent: -1, name: '' },
    { start: 0, end: 1, parent: 0, name: 'A' },
    { start: 1, end: 2, parent: 0, name: 'B' },
  ]);
  expect(heldNames(sections, { start: 0, end: 2, section: 0 })).toEqual([]);
});
