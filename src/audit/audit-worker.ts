/** Worker thread: reads and cuts as indexing does, by its very function, and looks at the chunks on their way. */

import { createHash } from 'node:crypto';
import type { ChunkContract } from '../chunking/index.js';
import { prepare } from '../indexing/prepare.js';
import type { PortionCall, PreparedBatch } from '../indexing/prepare-task.js';
import { type Answer, answer, chunkOptionsOf, onPortion, threadSetup } from '../indexing/prepare-worker.js';
import type { ChunkColumns } from '../model/chunk.js';
import type { SituatedChunker } from '../model/context-line.js';
import type { Document } from '../model/document.js';
import { moved } from '../threads/transfer.js';
import { type AuditBatch, SIZE_STEPS, sizeStep } from './audit-task.js';
import { type CutBatch, type CutDocument, describeCut } from './cut-document.js';
import { auditDocument, type DocumentAudit, failedAudit } from './document-audit.js';

let contract: ChunkContract | undefined;

function threadContract(): ChunkContract {
  contract ??= chunkOptionsOf(threadSetup());
  return contract;
}

export { readers } from '../indexing/prepare-worker.js';

/** The audit of one portion. */
export async function audit(call: PortionCall): Promise<Answer<AuditBatch>> {
  return moved(
    await answer(() =>
      onPortion(call, async ({ chunker, reading }, marks) => {
        const sums = new BatchSums(threadContract().limitTokens);
        return sums.batch(await prepare(call.task, watched(chunker, sums), reading, marks));
      }),
    ),
  );
}

/** How one portion is cut, for people to see. */
export function cut(call: PortionCall): Promise<Answer<CutBatch>> {
  return answer(() =>
    onPortion(call, async ({ chunker, reading }, marks) => {
      const documents: CutDocument[] = [];
      const { fingerprint } = chunker;
      const shown: SituatedChunker = {
        fingerprint,
        chunk: async (document) => {
          const chunks = await chunker.chunk(document);
          documents.push(describeCut(document, chunks, chunker.parents === true));
          return chunks;
        },
      };
      const { skipped } = await prepare(call.task, shown, reading, marks);
      const { limitTokens } = threadContract();
      return { documents, skipped, limitTokens, chunker: fingerprint };
    }),
  );
}

/** The thread's chunker, whose chunks are looked at before they go on. */
function watched(chunker: SituatedChunker, sums: BatchSums): SituatedChunker {
  return {
    fingerprint: chunker.fingerprint,
    chunk: async (document) => {
      let chunks: ChunkColumns;
      try {
        chunks = await chunker.chunk(document);
      } catch (error) {
        sums.documents.push(failedAudit(document, error));
        throw error;
      }
      sums.add(document, chunks, threadContract());
      return chunks;
    },
  };
}

class BatchSums {
  readonly documents: DocumentAudit[] = [];
  readonly #limitTokens: number;
  readonly #sizes = new Uint32Array(SIZE_STEPS);
  readonly #hashes: bigint[] = [];
  readonly #lines: number[] = [];
  #smallest = Number.POSITIVE_INFINITY;
  #largest = 0;

  constructor(limitTokens: number) {
    this.#limitTokens = limitTokens;
  }

  add(document: Document, chunks: ChunkColumns, contract: ChunkContract): void {
    this.documents.push(auditDocument(document, chunks, contract));
    for (let row = 0; row < chunks.start.length; row++) {
      const tokens = chunks.tokens[row]!;
      this.#sizes[sizeStep(tokens, this.#limitTokens)]!++;
      this.#smallest = Math.min(this.#smallest, tokens);
      this.#largest = Math.max(this.#largest, tokens);
      this.#hashes.push(hashOf(document.text.slice(chunks.start[row], chunks.end[row])));
      this.#lines.push(chunks.startLine[row]!);
    }
  }

  batch({ skipped, files, bytes }: PreparedBatch): AuditBatch {
    return {
      documents: this.documents,
      skipped,
      files: files.length,
      failedFiles: files.filter(({ error }) => error !== null).length,
      bytes,
      limitTokens: this.#limitTokens,
      sizes: this.#sizes,
      smallestTokens: this.#largest === 0 ? 0 : this.#smallest,
      largestTokens: this.#largest,
      textHashes: BigUint64Array.from(this.#hashes),
      startLines: Uint32Array.from(this.#lines),
    };
  }
}

/** The same text in another place has other white space around it: that does not count. */
function hashOf(text: string): bigint {
  return createHash('sha256').update(text.trim()).digest().readBigUInt64LE(0);
}
