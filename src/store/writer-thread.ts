import { SluiceError } from '../errors.js';
import type { CommitBatch, CommitResult, KnownVectorsQuery, SourcePage } from '../model/store.js';
import { packTexts } from '../model/text-column.js';
import { moved } from '../threads/transfer.js';
import { Committer } from './commit.js';
import { GraphPublisher } from './graph-publish.js';
import { KeywordIndex } from './keywords.js';
import { VectorMemory } from './known-vectors.js';
import { indexLayout } from './layout.js';
import { dropUnusedFields } from './metadata-fields.js';
import type { ResolvedStoreOptions } from './options.js';
import { purgeDead } from './purge.js';
import { type Connection, openForWriting, readSetting } from './schema.js';
import { SourceTable } from './sources.js';
import { task } from './threads.js';

/** The writer's worker thread: owns the writing connection, the keyword writer, and the building of graphs. */
interface Writer {
  db: Connection;
  committer: Committer;
  sources: SourceTable;
  vectors: VectorMemory;
  keywords: KeywordIndex;
  graphs: GraphPublisher;
  /** Generation of the publish before; what died by then may be purged. */
  lastPublished: number;
  /** Generation that this writer has published whole, graph included; undefined before its first publish. */
  wholeAt: number | undefined;
}

let writer: Writer | undefined;

function current(): Writer {
  if (!writer) throw new SluiceError('SLUICE_INDEX_CLOSED', 'the index writer is closed');
  return writer;
}

/** The caller holds the writer lock. Catches the keyword index up. */
export const open = task(
  async ({ folder, dims, options }: { folder: string; dims: number; options: ResolvedStoreOptions }) => {
    const layout = indexLayout(folder);
    const db = openForWriting(layout.database);
    try {
      const sources = new SourceTable(db);
      const keywords = new KeywordIndex(db, layout, options);
      writer = {
        db,
        committer: new Committer(db, dims, sources),
        sources,
        vectors: new VectorMemory(db, dims),
        keywords,
        graphs: new GraphPublisher(db, layout.graph, options, dims),
        lastPublished: readSetting<number>(db, 'publishedGeneration')!,
        wholeAt: undefined,
      };
      await keywords.commit();
      return { generation: readSetting<number>(db, 'generation')! };
    } catch (error) {
      writer = undefined;
      db.close();
      throw error;
    }
  },
);

export const commit = task(async (batch: CommitBatch): Promise<CommitResult> => {
  const { committer, keywords } = current();
  const applied = committer.apply(batch);
  await keywords.apply(applied);
  const sum = (ranges: readonly { count: number }[]) => ranges.reduce((total, { count }) => total + count, 0);
  const { generation, added, removed, updated } = applied;
  return { generation, addedChunks: sum(added), removedChunks: sum(removed), updatedDocuments: updated };
});

export const publish = task(async (): Promise<void> => {
  const state = current();
  const { db, graphs, lastPublished } = state;
  const generation = readSetting<number>(db, 'generation')!;
  // Runs that change nothing are the most frequent ones where folders are watched.
  if (state.wholeAt === generation) return;
  await publishKeywords();
  await graphs.publish();
  purgeDead(db, lastPublished);
  state.lastPublished = readSetting<number>(db, 'publishedGeneration')!;
  state.wholeAt = generation;
});

/** The cheap half of a publish: what was committed can be searched, the graph stays as it is. */
export const publishKeywordsOnly = task(publishKeywords);

async function publishKeywords(): Promise<void> {
  const { db, keywords } = current();
  await keywords.commit();
  dropUnusedFields(db);
}

export const unchanged = task((documents: { id: string; contentHash: string }[]) =>
  current().sources.unchanged(documents),
);
const findVectors = task((query: KnownVectorsQuery) => current().vectors.find(query));
export const knownVectors: typeof findVectors = async (query) => moved(await findVectors(query));
export const owners = task((ids: string[]) => current().sources.owners(ids));
export const sourceStates = task((sources: string[]) => current().sources.states(sources));
export const sourcesUnder = task(({ prefix, page }: { prefix: string; page: SourcePage | undefined }) =>
  current().sources.under(prefix, page),
);
const idsOf = task((source: string) => packTexts(current().sources.documentsOf(source)));
export const documentsOf: typeof idsOf = async (source) => moved(await idsOf(source));
export const forgetSource = task((source: string) => current().sources.forget(source));
export const rootName = task((path: string) => current().sources.rootName(path));
export const knownName = task((path: string) => current().sources.knownName(path));
export const rootsInside = task((path: string) => current().sources.rootsInside(path));

/** What was committed gets published, except for the graph. */
export const close = task(async (): Promise<void> => {
  if (!writer) return;
  const { db, keywords } = writer;
  try {
    await publishKeywords();
  } finally {
    writer = undefined;
    await keywords.close();
    db.close();
  }
});
