import { packTexts } from '../../model/text-column.js';
import type { NativeFilterWriter } from '../../native/contract.js';
import type { Connection } from '../schema.js';

const BATCH_DOCUMENTS = 1_000;
const NUMBERS_A_DOCUMENT = 4;

type Row = [
  key: number,
  born: number,
  firstLabel: number,
  chunks: number,
  id: string,
  source: string,
  title: string,
  format: string,
  metadata: string,
];

/**
 * Feeds document rows from SQLite into filter columns, in batches, so that memory stays flat; the next batch is read
 * while the addon takes the one before. No statement stays open meanwhile.
 * @param after keys up to this one are left out
 * @param condition constant text of ours over the row `d`, with named parameters
 */
export async function feedRows(
  db: Connection,
  into: Pick<NativeFilterWriter, 'add'>,
  after: number,
  condition: string,
  parameters: Record<string, number>,
): Promise<void> {
  // An index on died would find the living fast, and then sort them anew for every page.
  const page = db
    .prepare<Record<string, number>, Row>(
      `SELECT key, born, first_label, chunk_count, id, source, title, format, metadata FROM documents d NOT INDEXED
       WHERE d.key > @after AND (${condition}) ORDER BY d.key LIMIT ${BATCH_DOCUMENTS}`,
    )
    .raw();
  let taken: Promise<void> = Promise.resolve();
  for (let last = after; ; ) {
    const rows = page.all({ ...parameters, after: last });
    const numbers = new Float64Array(rows.length * NUMBERS_A_DOCUMENT);
    const texts: string[] = [];
    rows.forEach(([key, born, firstLabel, chunks, ...rest], i) => {
      numbers.set([key, born, firstLabel, chunks], i * NUMBERS_A_DOCUMENT);
      texts.push(...rest);
    });
    const { bytes, offsets } = packTexts(texts);
    await taken;
    taken = into.add(numbers, bytes, offsets);
    // Reading the next batch may fail first: then nobody waits for this one.
    taken.catch(() => {});
    if (rows.length < BATCH_DOCUMENTS) break;
    last = rows.at(-1)![0];
  }
  await taken;
}
