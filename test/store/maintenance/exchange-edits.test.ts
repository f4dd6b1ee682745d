/**
 * Exports that somebody edited and sealed again with right checksums. Each edit is refused with its place, or gives an
 * index that is whole; none ends in another error, and none leaves anything behind.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { beforeAll, describe, expect, it } from 'vitest';
import { exportIndex, importIndex, verifyIndex } from '../../../src/store/index.js';
import {
  type ChunkRow,
  COLUMN_NAMES,
  META_CHECKSUM_KEY,
  META_KEY,
  PARQUET_SCHEMA,
  rowChecksum,
} from '../../../src/store/maintenance/parquet-schema.js';
import { newFolder } from '../support.js';
import { answersOf, filledFolder } from './fixture.js';

const LONG = Number(process.env.SLUICE_LONG ?? 0) > 0;
type Json = Record<string, unknown>;

let place: string;
let lines: Json[];
let rows: ChunkRow[];
let meta: Json;

beforeAll(async () => {
  const index = await filledFolder();
  place = newFolder();
  const file = join(place, 'x.jsonl');
  await exportIndex(index, file);
  lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  rmSync(file);
  const parquet = join(place, 'x.parquet');
  await exportIndex(index, parquet);
  const buffer = await asyncBufferFromFile(parquet);
  const found = await parquetReadObjects({ file: buffer, columns: [...COLUMN_NAMES] });
  rows = found.map(
    (row) => Object.fromEntries(COLUMN_NAMES.map((name) => [name, row[name] ?? null])) as never,
  );
  const { key_value_metadata: pairs } = await parquetMetadataAsync(buffer);
  meta = JSON.parse(pairs!.find(({ key }) => key === META_KEY)!.value!);
  rmSync(parquet);
});

/** Imports, and holds what comes of it to the promise. @returns the error, if any */
async function outcomeOf(name: string): Promise<{ message: string; details: Json } | undefined> {
  const made = join(place, 'made');
  const error = await importIndex(join(place, name), made, { graphThreshold: 20 }).then(
    () => undefined,
    (thrown) => thrown,
  );
  if (error === undefined) {
    expect(await verifyIndex(made)).toMatchObject({ ok: true, findings: [] });
    // Everything can be read.
    await answersOf(made);
    rmSync(made, { recursive: true });
  } else {
    expect(error.code, error.stack).toBe('SLUICE_EXPORT_INVALID');
    expect(readdirSync(place)).toEqual([name]);
  }
  rmSync(join(place, name));
  return error;
}

/** Writes lines with right checksums, and with `sealed` an end that fits them. */
function writeLines(edited: readonly Json[], sealed: boolean): string {
  let sum = 0;
  const spelled = edited.map(({ crc32: _old, ...rest }) => {
    const given = structuredClone(rest);
    if (sealed && isObject(given.end)) given.end = { ...given.end, ...countsOf(edited), crc32: sum };
    const text = JSON.stringify(given).slice(0, -1);
    const own = crc32(text);
    sum = crc32(`${own}\n`, sum);
    return `${text},"crc32":${own}}\n`;
  });
  const name = 'edited.jsonl';
  writeFileSync(join(place, name), spelled.join(''));
  return name;
}

function countsOf(all: readonly Json[]): Json {
  const having = (name: string) => all.filter((line) => line[name] !== undefined);
  const chunks = having('document').map(({ document }) => (document as Json | null)?.chunks);
  return {
    roots: having('root').length,
    sources: having('source').length,
    documents: having('document').length,
    chunks: chunks.reduce<number>((total, list) => total + (Array.isArray(list) ? list.length : 0), 0),
  };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where a value stands: keys from the outside to the inside. */
function pathsIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, one]) => pathsIn(one, [...path, key]))
      : [];
  return path.length === 0 ? inner : [path, ...inner];
}

function withValue(object: Json, path: readonly (string | number)[], value: unknown): Json {
  const copy = structuredClone(object);
  const holder = path.slice(0, -1).reduce<Json>((at, key) => at[key] as Json, copy);
  const last = path.at(-1)!;
  if (value !== undefined) holder[last] = value;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
  return copy;
}

/** Undefined takes the field away. */
const otherValue = fc.constantFrom<unknown>(
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  7,
  1e12,
  '',
  'x',
  'text',
  '{}',
  [],
  {},
  [null],
  { a: 1 },
  'é'.repeat(40),
);

const runs = { numRuns: LONG ? 1_500 : 24 };

describe('an edited line of JSON', () => {
  it('is refused with line and field, or does no harm', async () => {
    const edit = fc.record({
      line: fc.nat(),
      path: fc.nat(),
      value: otherValue,
      sealed: fc.boolean(),
    });
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(edit, async ({ line, path, value, sealed }) => {
        const at = line % lines.length;
        const { crc32: _sum, ...original } = lines[at]!;
        const paths = pathsIn(original);
        const edited = withValue(original, paths[path % paths.length]!, value);
        const error = await outcomeOf(writeLines(lines.with(at, edited), sealed));
        if (error === undefined) return;
        refused++;
        if (/is no export of an index/.test(error.message)) expect(at).toBe(0);
        else expect(error.details.place, error.message).toMatch(/^line \d+$/);
      }),
      runs,
    );
    expect(refused).toBeGreaterThan(0);
  }, 600_000);

  it.each([true, false])(
    'is missed, noticed twice, or in another order (end sealed again: %s)',
    async (sealed) => {
      for (let at = 0; at < lines.length; at += LONG ? 1 : 19) {
        const without = await outcomeOf(writeLines(lines.toSpliced(at, 1), sealed));
        const twice = await outcomeOf(writeLines(lines.toSpliced(at, 0, lines[at]!), sealed));
        expect(twice?.message, `line ${at}`).toMatch(/, line \d+: /);
        // A header and an end are there always, as are the documents that the header counts.
        if (!sealed || at === 0 || at === lines.length - 1) expect(without).toBeDefined();
        if (at === 0 || at >= lines.length - 2) continue;
        const swapped = lines.with(at, lines[at + 1]!).with(at + 1, lines[at]!);
        const reordered = await outcomeOf(writeLines(swapped, sealed));
        if (sealed) expect(reordered).toBeUndefined();
        else expect(reordered?.message).toContain('or not in that order');
      }
    },
    600_000,
  );
});

/** Writes rows with right checksums. */
function writeRows(edited: readonly ChunkRow[], sealed: boolean, footer: Json = meta): string {
  const name = 'edited.parquet';
  let sum = 0;
  const resealed = edited.map((row) => {
    const row_crc32 = rowChecksum(row);
    sum = crc32(`${row_crc32}\n`, sum);
    return { ...row, row_crc32 };
  });
  const starts = edited.filter((row) => row.document_text !== null).length;
  const chunks = edited.filter((row) => row.chunk_index !== null).length;
  const end = isObject(footer.end) && { ...footer.end, documents: starts, chunks, crc32: sum };
  const value = JSON.stringify(sealed && end ? { ...footer, end } : footer);
  const writer = new ParquetWriter({
    writer: fileWriter(join(place, name)),
    schema: PARQUET_SCHEMA,
    kvMetadata: [
      { key: META_KEY, value },
      { key: META_CHECKSUM_KEY, value: `${crc32(value)}` },
    ],
  });
  const columnData = COLUMN_NAMES.map((column) => ({
    name: column,
    data: resealed.map((row) => row[column]) as never[],
  }));
  writer.write({ columnData, rowGroupSize: resealed.length });
  writer.finish();
  return name;
}

/** Of the type of the column: a file of other types is another matter. */
function otherOf(column: keyof ChunkRow, value: unknown, pick: number): unknown {
  const choices: Record<string, unknown[]> = {
    string: ['', 'x', '{}', '[1]', 'text', 'é'.repeat(40)],
    number: [0, 1, 7, 0xffff_fff0],
    boolean: [true, false],
    object: [[], [1], [Number.NaN, 1], Array.from(value as number[], (one) => one + 1)],
  };
  const required = ['document_id', 'source', 'title', 'format', 'metadata', 'content_hash', 'chunk_count'];
  const list = [...choices[typeof value]!, ...(required.includes(column) ? [] : [null])];
  return list[pick % list.length];
}

describe('an edited row of Parquet', () => {
  it('is refused with row and column, or does no harm', async () => {
    const edit = fc.record({ row: fc.nat(), column: fc.nat(), pick: fc.nat(), sealed: fc.boolean() });
    const columns = COLUMN_NAMES.filter((name) => name !== 'row_crc32');
    await fc.assert(
      fc.asyncProperty(edit, async ({ row, column, pick, sealed }) => {
        const at = row % rows.length;
        const name = columns[column % columns.length]!;
        const before = rows[at]![name];
        if (before === null) return;
        const edited = { ...rows[at]!, [name]: otherOf(name, before, pick) };
        const error = await outcomeOf(writeRows(rows.with(at, edited), sealed));
        if (error !== undefined) expect(error.details.place).toMatch(/^(row \d+|the footer|the last row)$/);
      }),
      { numRuns: LONG ? 1_000 : 16 },
    );
  }, 600_000);

  it('is missed, noticed twice, or in another order', async () => {
    for (let at = 0; at < rows.length; at += LONG ? 1 : 23) {
      expect(await outcomeOf(writeRows(rows.toSpliced(at, 1), false))).toBeDefined();
      expect(await outcomeOf(writeRows(rows.toSpliced(at, 0, rows[at]!), false))).toBeDefined();
      await outcomeOf(writeRows(rows.toSpliced(at, 1), true));
      await outcomeOf(writeRows(rows.toSpliced(at, 0, rows[at]!), true));
      if (at + 1 < rows.length)
        await outcomeOf(writeRows(rows.with(at, rows[at + 1]!).with(at + 1, rows[at]!), true));
    }
  }, 600_000);

  it('or an edited footer, is refused or does no harm', async () => {
    const edit = fc.record({ path: fc.nat(), value: otherValue });
    const paths = pathsIn(meta);
    await fc.assert(
      fc.asyncProperty(edit, async ({ path, value }) => {
        const at = paths[path % paths.length]!;
        const error = await outcomeOf(writeRows(rows, true, withValue(meta, at, value)));
        if (error !== undefined) expect(error.message).toMatch(/the footer|row \d+|is no export of an index/);
      }),
      { numRuns: LONG ? 600 : 12 },
    );
  }, 600_000);
});
