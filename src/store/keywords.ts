import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addon } from '../native/addon.js';
import type { NativeKeywordReader, NativeKeywordWriter } from '../native/contract.js';
import { addMark, isMarked } from './branch-marks.js';
import type { AppliedCommit, LabelRange } from './commit.js';
import { makeFolder } from './durable-folder.js';
import { announceGeneration } from './held-generations.js';
import { catchUpKeywords } from './keyword-catch-up.js';
import { heldBy, type KeywordPayload, newestPayload, spellPayload } from './keyword-payload.js';
import type { IndexLayout } from './layout.js';
import type { ResolvedStoreOptions } from './options.js';
import { purgedUntil } from './purge.js';
import { type Connection, readSetting, writeSetting } from './schema.js';
import { DAMAGE_HINT, troubleRecord } from './trouble.js';

/** More threads would only split the memory into smaller segments. */
const MAX_THREADS = 4;
const OPEN_ATTEMPTS = 20;
const OPEN_PAUSE_MS = 50;
/** From what is on disk; then once from nothing. */
const COMMIT_ATTEMPTS = 2;
const PROBE_BYTES = 65_536;

/** Opens the keyword index for reading; undefined where there is none yet. Throws where a file of it is damaged. */
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
  /** Why this writer had to build it anew, in a sentence. */
  #rebuilt: string | undefined;

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
        await probeDisk(this.#layout.keywords);
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
    const mark = addMark(this.#db, 'keywords', generation);
    await writer.commit(spellPayload(newestPayload(this.#db, this.#indexId, mark)));
    this.#durableGeneration = generation;
    this.#pendingChunks = 0;
    this.#pendingBytes = 0;
    writeSetting(this.#db, 'publishedGeneration', generation);
  }

  /**
   * Fills the index anew from the database and makes one segment of it, so that scores are those of a fresh index and
   * no term of an erased text is left. Readers see the old commit until the new one is whole.
   */
  async rebuild(): Promise<void> {
    await this.commit();
    const writer = await this.open();
    try {
      await writer.clear();
      this.#noteDamaged(await catchUpKeywords(this.#db, writer, { generation: 0, maxLabel: 0 }));
      this.#durableGeneration = -1;
      await this.#commitOnce();
      await writer.merge();
    } catch (error) {
      await this.#drop();
      throw error;
    }
    // tantivy counts its operations from the last commit again after it has cleared itself, and would take removals that
    // come now for older than what they remove: a new writer counts on.
    await this.close();
    await this.open();
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
      this.#noteDamaged(await catchUpKeywords(this.#db, writer, held ?? { generation: 0, maxLabel: 0 }));
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
    let reader: NativeKeywordReader | undefined;
    try {
      reader = openKeywordReader(this.#layout.keywords);
      const held = heldBy(reader, this.#indexId);
      if (held && this.#canCatchUp(held)) return held;
      this.#noteRebuild(reader ? 'it did not fit the database' : 'it was missing');
    } catch (error) {
      if (isDiskTrouble(error)) throw error;
      this.#noteRebuild((error as Error).message);
    } finally {
      await reader?.close();
    }
    return undefined;
  }

  /** What died since then must still be there, or its removal would be missed. */
  #canCatchUp({ generation, mark }: KeywordPayload): boolean {
    if (!isMarked(this.#db, 'keywords', generation, mark)) return false;
    const newest = readSetting<number>(this.#db, 'generation')!;
    return generation <= newest && generation >= purgedUntil(this.#db);
  }

  #noteRebuild(reason: string): void {
    if (readSetting<number>(this.#db, 'publishedGeneration') === 0) return;
    const generation = readSetting<number>(this.#db, 'generation')!;
    this.#rebuilt = `the keyword index was built anew at generation ${generation}: ${reason}`;
    this.#note(this.#rebuilt);
  }

  #noteDamaged(chunks: number): void {
    if (chunks === 0) return;
    const what = `keyword search finds ${chunks} chunks no more, because their rows are damaged: ${DAMAGE_HINT}`;
    this.#note(this.#rebuilt === undefined ? what : `${this.#rebuilt}; ${what}`);
  }

  #note(what: string): void {
    writeSetting(this.#db, 'repairGeneration', readSetting<number>(this.#db, 'generation')!);
    writeSetting(this.#db, 'repair', what);
  }
}

function isDiskTrouble(error: unknown): boolean {
  return troubleRecord(error).code.startsWith('SLUICE_DISK_');
}

/** Throws what the system says where nothing can be written: then there is no use in building anew. */
async function probeDisk(folder: string): Promise<void> {
  const probe = join(folder, '.tmp-probe');
  try {
    await writeFile(probe, Buffer.alloc(PROBE_BYTES));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    await rm(probe, { force: true });
  }
}

function labelsOf(ranges: readonly LabelRange[]): Uint32Array {
  const labels = new Uint32Array(ranges.reduce((total, { count }) => total + count, 0));
  let at = 0;
  for (const { first, count } of ranges) {
    for (let i = 0; i < count; i++) labels[at++] = first + i;
  }
  return labels;
}
