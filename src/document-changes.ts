import { checkSelection, type DocumentSelection, namedIds, selectedDocuments } from './document-selection.js';
import type { LiveIndex } from './live-index.js';
import { applyPatch, checkPatch, type MetadataPatch } from './metadata-patch.js';
import type { DocumentEntry, StoreWriter } from './model/store.js';

/** What `remove` took out. */
export interface RemoveResult {
  removedDocuments: number;
  removedChunks: number;
  /** Ids that were named but are not in the index, once each. Empty for a filter. */
  unknown: string[];
}

/** What `update` did. */
export interface UpdateResult {
  /** Documents that were selected. */
  documents: number;
  /** Those of them whose metadata is another now. */
  updated: number;
  /** Ids that were named but are not in the index, once each. Empty for a filter. */
  unknown: string[];
}

export async function removeDocuments(live: LiveIndex, given: DocumentSelection): Promise<RemoveResult> {
  const selection = checkSelection(given, 'remove');
  const result = { removedDocuments: 0, removedChunks: 0 };
  const unknown = await changeDocuments(live, selection, async (documents, writer) => {
    const removeDocuments = documents.map(({ id }) => id);
    const { removedChunks } = await writer.commit({ documents: [], removeDocuments, sources: [] });
    result.removedDocuments += documents.length;
    result.removedChunks += removedChunks;
  });
  return { ...result, unknown };
}

export async function updateDocuments(
  live: LiveIndex,
  given: DocumentSelection,
  patch: MetadataPatch,
): Promise<UpdateResult> {
  const selection = checkSelection(given, 'update');
  checkPatch(patch);
  const result = { documents: 0, updated: 0 };
  const unknown = await changeDocuments(live, selection, async (documents, writer) => {
    const updateMetadata = documents.map(({ id, metadata }) => ({
      id,
      metadata: applyPatch(metadata, patch),
    }));
    const change = { documents: [], removeDocuments: [], sources: [], updateMetadata };
    const { updatedDocuments } = await writer.commit(change);
    result.documents += documents.length;
    result.updated += updatedDocuments;
  });
  return { ...result, unknown };
}

/**
 * A commit a portion, published together: memory stays flat, and what is committed when one fails stays.
 * @returns the ids of the selection that met no document
 */
function changeDocuments(
  live: LiveIndex,
  selection: DocumentSelection,
  commit: (documents: DocumentEntry[], writer: StoreWriter) => Promise<void>,
): Promise<string[]> {
  return live.exclusive(async () => {
    const unmet = new Set(namedIds(selection));
    const writer = await live.writer();
    // What an earlier run left unpublished would be overlooked, or overwritten by what was before it.
    await writer.publish();
    try {
      for await (const documents of selectedDocuments(selection, (use) =>
        live.read(({ reader }) => use(reader)),
      )) {
        if (documents.length > 0) await commit(documents, writer);
        for (const { id } of documents) unmet.delete(id);
      }
      return [...unmet];
    } finally {
      await writer.publish();
    }
  });
}
