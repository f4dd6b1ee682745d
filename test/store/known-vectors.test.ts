import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMBEDDING_HASH_BYTES } from '../../src/model/document-record.js';
import { textHash } from '../../src/model/text-hash.js';
import { vectorChecksum } from '../../src/store/checksums.js';
import { indexLayout } from '../../src/store/layout.js';
import { batch, DIMS, document, newFolder, newStore, type PlainDocument, vectorOf } from './support.js';

/** What the embedder reads is the title and the chunk; the vectors are told apart by both. */
function withHashes(id: string, title: string, chunks: string[]): PlainDocument {
  const read = (chunk: string) => `${title}\n${chunk}`;
  const made = document(id, chunks, { title, vector: (chunk) => vectorOf(read(chunk)) });
  const embeddingHashes = new Uint8Array(chunks.length * EMBEDDING_HASH_BYTES);
  chunks.forEach((chunk, i) => {
    const digest = createHash('sha256').update(read(chunk)).digest();
    embeddingHashes.set(digest.subarray(0, EMBEDDING_HASH_BYTES), i * EMBEDDING_HASH_BYTES);
  });
  return { ...made, record: { ...made.record, embeddingHashes } };
}

const queryOf = (...documents: PlainDocument[]) => ({
  ids: documents.map(({ record }) => record.id),
  textHashes: Float64Array.from(documents, ({ record }) => textHash(record.text)),
  rows: Uint32Array.from(documents, ({ record }) => record.chunks.start.length),
  wanted: new Uint8Array(documents.length).fill(1),
  embeddingHashes: new Uint8Array(
    Buffer.concat(documents.map(({ record }) => record.embeddingHashes ?? new Uint8Array())),
  ),
});

const word = fc.constantFrom('oak', 'elm', 'ash', 'fir');
const one = fc.record({
  id: fc.constantFrom('a', 'b', 'c'),
  title: fc.constantFrom('T', 'U'),
  chunks: fc.array(word, { minLength: 1, maxLength: 4 }),
});
type One = { id: string; title: string; chunks: string[] };

/** The slow twin: what was ever committed under this id, or with this text. */
function everRead(history: readonly One[], { id, chunks }: One): Set<string> {
  const text = chunks.join('\n');
  const related = history.filter((past) => past.id === id || past.chunks.join('\n') === text);
  return new Set(related.flatMap(({ title, chunks: rows }) => rows.map((row) => `${title}\n${row}`)));
}

describe('knownVectors', () => {
  it('finds what any version of the id, or any body of the same text, dead or alive, was embedded as', async () => {
    const store = await newStore();
    const writer = await store.writer();
    const history: One[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 3 }), fc.array(one, { maxLength: 4 }), async (add, ask) => {
        for (const { id, title, chunks } of add) {
          await writer.commit(batch([withHashes(id, title, chunks)]));
          history.push({ id, title, chunks });
        }
        if (add.length === 3) await writer.commit(batch([], [add[0]!.id]));
        const found = await writer.knownVectors(
          queryOf(...ask.map(({ id, title, chunks }) => withHashes(id, title, chunks))),
        );
        const rows = ask.flatMap((document) => {
          const known = everRead(history, document);
          return document.chunks.map((chunk) => {
            const read = `${document.title}\n${chunk}`;
            return known.has(read) ? vectorOf(read) : undefined;
          });
        });
        expect([...found.known]).toEqual(rows.map((row) => (row === undefined ? 0 : 1)));
        expect(found.count).toBe(rows.filter((row) => row !== undefined).length);
        expect(found.data === null).toBe(found.count === 0);
        rows.forEach((row, i) => {
          if (row) expect(found.data!.slice(i * DIMS, (i + 1) * DIMS)).toEqual(row);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('reads half floats too, and leaves out what is damaged or of another length', async () => {
    const folder = newFolder();
    const store = await newStore({}, folder);
    const writer = await store.writer();
    const made = withHashes('a', 'T', ['one', 'two', 'three', 'four']);
    const query = queryOf(made);
    await writer.commit(batch([made]));
    const db = new Database(indexLayout(folder).database);
    const put = (label: number, data: Buffer, checksum = vectorChecksum(data)) =>
      db.prepare('UPDATE vectors SET data = ?, checksum = ? WHERE label = ?').run(data, checksum, label);
    const words = [0x3c00, 0xc000, 0x3555, 0x0001, 0x7bff, 0x8000, 0x3800, 0x0400];
    put(1, Buffer.from(Uint16Array.from(words).buffer));
    put(2, Buffer.alloc(DIMS * 4), 1);
    put(3, Buffer.alloc(DIMS * 4 - 1));
    db.close();
    const { known, data } = await writer.knownVectors(query);
    expect([...known]).toEqual([1, 0, 0, 1]);
    const halves = [1, -2, 0.333251953125, 2 ** -24, 65_504, -0, 0.5, 2 ** -14];
    expect([...data!.subarray(0, DIMS)]).toEqual(halves);
    expect(data!.slice(3 * DIMS)).toEqual(vectorOf('T\nfour'));
  });

  it('knows nothing of documents whose embedding texts nobody wrote down, and passes over what is not wanted', async () => {
    const store = await newStore();
    const writer = await store.writer();
    const hashed = withHashes('b', 'T', ['elm']);
    await writer.commit(batch([document('a', ['oak']), hashed]));
    const query = queryOf(withHashes('a', 'a', ['oak']), withHashes('b', 'T', ['elm']));
    expect([...(await writer.knownVectors(query)).known]).toEqual([0, 1]);
    const nothing = { known: new Uint8Array(2), count: 0, data: null };
    expect(await writer.knownVectors({ ...query, wanted: new Uint8Array(2) })).toEqual(nothing);
    expect(await writer.knownVectors(queryOf())).toEqual({ known: new Uint8Array(0), count: 0, data: null });
  });
});
