import { renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder, syncFolder } from '../durable-folder.js';
import { openAtCommit } from '../journal-mode.js';
import type { IndexLayout } from '../layout.js';
import { pathTrouble } from '../path-trouble.js';
import type { ExportFormat, ExportVectors } from './exchange.js';
import { ExchangeReader } from './exchange-source.js';
import { ExportFilter } from './export-filter.js';
import { JsonlWriter } from './jsonl-writer.js';
import { ParquetExportWriter } from './parquet-writer.js';
import type { ProgressSender } from './progress.js';
import { leftOf, unfinishedBeside } from './unfinished.js';

export interface ExportReport {
  file: string;
  format: ExportFormat;
  generation: number;
  documents: number;
  chunks: number;
  bytes: number;
  durationMs: number;
}

export interface ExportTask {
  file: string;
  format: ExportFormat;
  vectors: ExportVectors;
  /** As `encodeFilter` makes it; '' lets everything pass. */
  filter: string;
}

/** Inside `readingLong`: writes the live documents of one commit that pass a filter into a file, which appears when it is whole. */
export async function exportLayout(
  layout: IndexLayout,
  task: ExportTask,
  progress: ProgressSender,
): Promise<ExportReport> {
  const started = performance.now();
  const { file, format, vectors, filter } = task;
  const unfinished = unfinishedBeside(file);
  const db = openAtCommit(layout.database);
  try {
    const passing = filter === '' ? undefined : await ExportFilter.open(db, layout, filter);
    const reader = new ExchangeReader(db, passing);
    const header = reader.header(vectors);
    progress.start('documents', header.documents);
    makeFolder(dirname(file));
    for (const left of leftOf(file)) rmSync(left, { force: true });
    const Writer = format === 'parquet' ? ParquetExportWriter : JsonlWriter;
    const writer = openWriter(() => new Writer(unfinished, header), file);
    try {
      for (const root of await reader.roots()) writer.write({ root });
      for await (const source of reader.sources()) writer.write({ source });
      for await (const document of reader.documents()) {
        writer.write({ document });
        progress.step();
      }
      writer.end();
    } finally {
      writer.close();
    }
    renameSync(unfinished, file);
    syncFolder(dirname(file));
    const { generation, documents, chunks } = header;
    const bytes = statSync(file).size;
    return { file, format, generation, documents, chunks, bytes, durationMs: performance.now() - started };
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  } finally {
    db.close();
  }
}

function openWriter<T>(open: () => T, file: string): T {
  try {
    return open();
  } catch (error) {
    throw pathTrouble(error, 'write the file', file);
  }
}
