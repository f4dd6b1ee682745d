import type { MessagePort } from 'node:worker_threads';
import { SluiceError } from '../errors.js';
import type { EmbedderFingerprint, EmbeddingMatrix } from '../model/embedder.js';
import type { Passport } from '../model/passport.js';
import type {
  CommitBatch,
  CommitResult,
  CompactReport,
  KnownVectorsQuery,
  ReembeddingState,
  SourcePage,
  TextsToEmbed,
} from '../model/store.js';
import { packTexts } from '../model/text-column.js';
import { addon } from '../native/addon.js';
import { moved } from '../threads/transfer.js';
import { Committer } from './commit.js';
import { withRememberedDials } from './dials.js';
import { FilterPublisher } from './filter/publish.js';
import { graphGenerations } from './graph-files.js';
import { GraphPublisher } from './graph-publish.js';
import { oldestHeldGeneration } from './held-generations.js';
import { settleDatabase } from './journal-mode.js';
import { KeywordIndex } from './keywords.js';
import { VectorMemory } from './known-vectors.js';
import { type IndexLayout, indexLayout } from './layout.js';
import { compactStore } from './maintenance/compact.js';
import { ProgressSender } from './maintenance/progress.js';
import { type IndexIdentity, OpenedIndex } from './opened-index.js';
import type { ResolvedStoreOptions } from './options.js';
import { deleteDead, purgeDead } from './purge.js';
import { dropFormerVectors, Reembedding } from './reembedding.js';
import { type Connection, openForWriting, readSetting, writeSetting } from './schema.js';
import { SourceTable } from './sources.js';
import { task } from './threads.js';
import { workOn } from './trouble.js';

/** The writer's worker thread: owns the writing connection, the keyword writer, and the building of graphs. */
interface Writer {
  layout: IndexLayout;
  db: Connection;
  committer: Committer;
  sources: SourceTable;
  vectors: VectorMemory;
  keywords: KeywordIndex;
  graphs: GraphPublisher;
  filters: FilterPublisher;
  options: ResolvedStoreOptions;
  reembedding: Reembedding | undefined;
  /** What this writer adds to. */
  index: OpenedIndex;
  /** Generation of the publish before; what died by then may be purged, unless a reader is still older. */
  lastPublished: number;
  /** Generation that this writer has published whole, graph included; undefined before its first publish. */
  wholeAt: number | undefined;
}

export interface WriterSetup {
  folder: string;
  dims: number;
  identity: IndexIdentity;
  options: ResolvedStoreOptions;
}

let writer: Writer | undefined;

function current(): Writer {
  if (!writer) throw new SluiceError('SLUICE_INDEX_CLOSED', 'the index writer is closed');
  return writer;
}

/** The caller holds the writer lock. Catches the keyword index up. */
export const open = task(async ({ folder, dims, identity, options: given }: WriterSetup) => {
  const layout = indexLayout(folder);
  workOn(layout.database);
  const index = new OpenedIndex(layout.database, openForWriting, identity);
  const { db } = index;
  try {
    const options = withRememberedDials(db, given);
    const sources = new SourceTable(db);
    const keywords = new KeywordIndex(db, layout, options);
    writer = {
      layout,
      db,
      committer: new Committer(db, dims, sources, options.storedVectors),
      sources,
      vectors: new VectorMemory(db, dims),
      keywords,
      graphs: new GraphPublisher(db, layout.graph, options, dims),
      filters: new FilterPublisher(db, layout.filters, options),
      options,
      reembedding: undefined,
      index,
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
});

export const commit = task(async (batch: CommitBatch): Promise<CommitResult> => {
  const { committer, keywords, index } = current();
  index.check();
  const applied = committer.apply(batch);
  await keywords.apply(applied);
  const sum = (ranges: readonly { count: number }[]) => ranges.reduce((total, { count }) => total + count, 0);
  const { generation, added, removed, updated } = applied;
  return { generation, addedChunks: sum(added), removedChunks: sum(removed), updatedDocuments: updated };
});

export const publish = task(async (): Promise<void> => {
  const state = current();
  const { layout, db, keywords, graphs, filters, lastPublished, index } = state;
  index.check();
  const generation = readSetting<number>(db, 'generation')!;
  // Runs that change nothing are the most frequent ones where folders are watched.
  if (state.wholeAt === generation) return;
  await publishKeywords();
  dropFormerVectors(db);
  await graphs.publish(false, () => makeRoom(keywords));
  await keywords.open();
  const published = readSetting<number>(db, 'publishedGeneration')!;
  purgeDead(db, Math.min(lastPublished, oldestHeldGeneration(layout.readers, published)));
  await filters.publish();
  state.lastPublished = published;
  state.wholeAt = generation;
});

/** The cheap half of a publish: what was committed can be searched, the graph stays as it is. */
export const publishKeywordsOnly = task(publishKeywords);

async function publishKeywords(): Promise<void> {
  const { keywords, index } = current();
  index.checkPlace();
  await keywords.commit();
}

/** Leaves nothing but what is live. */
export const compact = task(async (port: MessagePort | undefined): Promise<CompactReport> => {
  const state = current();
  state.index.check();
  const report = await compactStore(state, new ProgressSender(port));
  state.lastPublished = report.generation;
  return report;
});

/** Builds what is derived anew, and the rest of it as far as it lacks something. */
export const rebuild = task(
  async (parts: { keywords: boolean; graph: boolean; filters: boolean }): Promise<void> => {
    const { keywords, graphs, filters, index } = current();
    index.check();
    if (parts.keywords) await keywords.rebuild();
    await graphs.publish(parts.graph);
    await filters.publish(parts.filters);
  },
);

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

export const beginReembedding = task((embedder: EmbedderFingerprint): ReembeddingState => {
  const state = current();
  state.reembedding ??= new Reembedding(state.db, state.options.storedVectors);
  return state.reembedding.begin(embedder);
});
export const nextToReembed = task((limit: number): TextsToEmbed => reembedding().next(limit));
export const addReembedded = task(({ labels, vectors }: { labels: Uint32Array; vectors: EmbeddingMatrix }) =>
  reembedding().add(labels, vectors),
);

/** Its epoch tells that it is nobody's before the swap, and whose it is afterwards. */
export const graphReembedded = task(async (dims: number): Promise<void> => {
  const { db, graphs, layout, keywords } = current();
  reembedding().checkWhole();
  leaveGraphGeneration(db, layout);
  await publishKeywords();
  await graphs.publishNext(dims, () => makeRoom(keywords));
});

/** Dead rows go first: nobody makes vectors for them. The old graphs go last. */
export const finishReembedding = task(async (passport: Passport): Promise<void> => {
  const { db, graphs } = current();
  await publishKeywords();
  deleteDead(db, readSetting<number>(db, 'publishedGeneration')!);
  reembedding().finish(passport);
  graphs.moveToNext();
});

/** Graph files are named by generation: a graph beside the one in use needs a generation of its own. */
function leaveGraphGeneration(db: Connection, { graph }: IndexLayout): void {
  const generation = readSetting<number>(db, 'generation')!;
  if (graphGenerations(graph).includes(generation)) writeSetting(db, 'generation', generation + 1);
}

/** The keyword writer's buffers are as large as a fifth of a million vectors: a graph gets their memory. */
async function makeRoom(keywords: KeywordIndex): Promise<void> {
  await keywords.close();
  addon().releaseMemory();
}

function reembedding(): Reembedding {
  const { reembedding } = current();
  if (reembedding) return reembedding;
  throw new SluiceError('SLUICE_INTERNAL', 're-embedding was not begun');
}

/** What was committed gets published, except for the graph. */
export const close = task(async (): Promise<void> => {
  if (!writer) return;
  const { layout, db, keywords, index } = writer;
  // What lies there now is not this writer's to change.
  const { isReplaced } = index;
  try {
    if (!isReplaced) await publishKeywords();
  } finally {
    writer = undefined;
    await keywords.close();
    db.close();
    if (!isReplaced) settleDatabase(layout.database);
  }
});
