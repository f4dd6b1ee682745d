import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addon } from '../native/addon.js';
import type { NativeKeywordReader, NativeKeywordWriter } from '../native/contract.js';
import type { AppliedCommit, LabelRange } from './commit.js';
import { makeFolder } from './durable-folder.js';
import { announceGeneration } from './held-generations.js';
import { catchUpKeywords } from './keyword-catch-up.js';
import type { IndexLayout } from './layout.js';
import type { ResolvedStoreOptions } from './options.js';
import { type Connection, lastLabel, readSetting, writeSetting } from './schema.js';
import { troubleRecord } from './trouble.js';

/** More threads would only split the memory into smaller segments. */
const MAX_THREADS = 4;
const OPEN_ATTEMPTS = 20;
const OPEN_PAUSE_MS = 50;
/** From what is on disk; then once from nothing. */
const COMMIT_ATTEMPTS = 2;

/** Which state of the database a keyword index holds: its commit payload. */
export interface KeywordPayload {
  /** The index that it belongs to. */
  index: string;
  generation: number;
  maxLabel: number;
}

/** @returns undefined before the first commit, and for a payload that is none of ours */
export function parsePayload(payload: string, indexId: string): KeywordPayload | undefined {
  if (payload === '') return undefined;
  try {
    const parsed = JSON.parse(payload) as KeywordPayload;
    return parsed.index === indexId && Number.isSafeInteger(parsed.generation) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Opens the keyword index for reading; undefined where there is none yet. Throws where it is damaged. */
export function openKeywordReader(folder: string): NativeKeywordReader | undefined {
  if (!existsSync(join(folder, 'meta.json'))) return undefined;
  return addon().KeywordReader.open(folder);
}

/**
 * The writer's side of the keyword index. SQLite runs ahead: rows are added with each commit, but made durable only by
 * `commit`, and whatever was lost on the way is brought in again from SQLite.
 */
export class KeywordIndex {
  readonly #db: Connection;
  readonly #layout: IndexLayout;
  readonly #options: ResolvedStoreOptions;
  readonly #indexId: string;
  #writer: NativeKeywordWriter | undefined;
  #durableGeneration = -1;
  #pendingChunks = 0;
  #pendingBytes = 0;

  constructor(db: Connection, layout: IndexLayout, options: ResolvedStoreOptions) {
    this.#db = db;
    this.#layout = layout;
    this.#options = options;
    this.#indexId = readSetting<string>(db, 'indexId')!;
  }

  /** Takes over a commit that is already in SQLite; never fails, because `commit` can always catch up. */
  async apply(commit: AppliedCommit): Promise<void> {
    if (!this.#writer) return;
    try {
      if (commit.removed.length > 0) await this.#writer.remove(labelsOf(commit.removed));
      for (const { first, count, text } of commit.added) {
        if (count > 0) await this.#writer.add(labelsOf([{ first, count }]), text.bytes, text.offsets);
        this.#pendingChunks += count;
        this.#pendingBytes += text.bytes.length;
      }
      const { keywordCommitChunks, keywordCommitBytes } = this.#options;
      const full = this.#pendingChunks >= keywordCommitChunks || this.#pendingBytes >= keywordCommitBytes;
      if (full) await this.#commitOnce();
    } catch {
      await this.#drop();
    }
  }

  /**
   * Makes the newest generation durable and visible to readers. Where tantivy cannot go on from what is on disk, the
   * index is built anew once; a disk that is full or fails is no reason for that.
   */
  async commit(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#commitOnce();
      } catch (error) {
        await this.#drop();
        if (isDiskTrouble(error) || attempt > COMMIT_ATTEMPTS) throw error;
        // A thread of tantivy that met a full disk does not always say so: the next attempt does.
        if (attempt < COMMIT_ATTEMPTS) continue;
        this.#noteRebuild(`it could not be written: ${(error as Error).message}`);
        await rm(this.#layout.keywords, { recursive: true, force: true });
      }
    }
  }

  async #commitOnce(): Promise<void> {
    const writer = await this.open();
    const generation = readSetting<number>(this.#db, 'generation')!;
    if (generation === this.#durableGeneration) return;
    announceGeneration(this.#layout.readers, generation);
    const payload: KeywordPayload = { index: this.#indexId, generation, maxLabel: lastLabel(this.#db) };
    await writer.commit(JSON.stringify(payload));
    this.#durableGeneration = generation;
    this.#pendingChunks = 0;
    this.#pendingBytes = 0;
    writeSetting(this.#db, 'publishedGeneration', generation);
  }

  /** Opens the index and adds what it lacks; builds it anew where it is missing, damaged or another index's. */
  async open(): Promise<NativeKeywordWriter> {
    if (this.#writer) return this.#writer;
    const held = await this.#held();
    if (held === undefined) await rm(this.#layout.keywords, { recursive: true, force: true });
    makeFolder(this.#layout.keywords);
    const writer = await this.#openWriter();
    this.#writer = writer;
    this.#durableGeneration = held?.generation ?? -1;
    if (held) announceGeneration(this.#layout.readers, held.generation);
    try {
      await catchUpKeywords(this.#db, writer, held ?? { generation: 0, maxLabel: 0 });
    } catch (error) {
      await this.#drop();
      throw error;
    }
    return writer;
  }

  async #openWriter(): Promise<NativeKeywordWriter> {
    const { threads, keywordMemoryBytes } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        return addon().KeywordWriter.open(
          this.#layout.keywords,
          Math.min(threads, MAX_THREADS),
          keywordMemoryBytes,
        );
      } catch (error) {
        // A process that was killed a moment ago may have let go of writer.lock, but not yet of tantivy's lock.
        if ((error as { code?: string }).code !== 'SLUICE_INDEX_LOCKED' || attempt === OPEN_ATTEMPTS)
          throw error;
        await delay(OPEN_PAUSE_MS);
      }
    }
  }

  async close(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.close();
  }

  /** Forgets what was not committed; the next use opens the index again. */
  async #drop(): Promise<void> {
    await this.close().catch(() => {});
  }

  /** What is on disk; undefined means that it must be built anew. */
  async #held(): Promise<KeywordPayload | undefined> {
    try {
      const reader = openKeywordReader(this.#layout.keywords);
      const payload = reader?.payload ?? '';
      await reader?.close();
      const held = parsePayload(payload, this.#indexId);
      if (held && held.generation <= readSetting<number>(this.#db, 'generation')!) return held;
      this.#noteRebuild(payload === '' ? 'it was missing' : 'it did not fit the database');
    } catch (error) {
      if (isDiskTrouble(error)) throw error;
      this.#noteRebuild(`it was damaged: ${(error as Error).message}`);
    }
    return undefined;
  }

  #noteRebuild(reason: string): void {
    if (readSetting<number>(this.#db, 'publishedGeneration') === 0) return;
    const generation = readSetting<number>(this.#db, 'generation')!;
    writeSetting(
      this.#db,
      'repair',
      `the keyword index was built anew at generation ${generation}: ${reason}`,
    );
  }
}

function isDiskTrouble(error: unknown): boolean {
  return troubleRecord(error).code.startsWith('SLUICE_DISK_');
}

function labelsOf(ranges: readonly LabelRange[]): Uint32Array {
  const labels = new Uint32Array(ranges.reduce((total, { count }) => total + count, 0));
  let at = 0;
  for (const { first, count } of ranges) {
    for (let i = 0; i < count; i++) labels[at++] = first + i;
  }
  return labels;
}
