// Commits in a loop and prints each generation once it is acknowledged, until it is killed.
// Arguments: the store's module, the folder, the passport as JSON, the round.
import { writeSync } from 'node:fs';

const [moduleUrl, folder, passport, round] = process.argv.slice(2);
const { createOrOpenStore } = await import(moduleUrl);
const store = await createOrOpenStore(folder, {
  passport: JSON.parse(passport),
  threads: 1,
  graphThreshold: 30,
  keywordCommitChunks: 40,
});
const writer = await store.writer();
writeSync(1, 'ready\n');

const encoder = new TextEncoder();
const column = (text) => ({
  bytes: encoder.encode(text),
  offsets: Uint32Array.of(0, encoder.encode(text).length),
});

function document(id, text) {
  return {
    record: {
      id,
      source: id,
      title: id,
      format: 'text',
      metadata: { round: Number(round) },
      contentHash: text,
      text: encoder.encode(text),
      chunks: {
        start: Uint32Array.of(0),
        end: Uint32Array.of(text.length),
        tokens: Uint32Array.of(3),
        startLine: Uint32Array.of(1),
        endLine: Uint32Array.of(1),
        kind: Uint8Array.of(0),
        headingPath: [''],
        overLimit: Uint8Array.of(0),
        embeddingText: column(text),
      },
      keywordText: column(text),
      embeddingHashes: null,
    },
    vectors: {
      rows: 1,
      dims: 8,
      data: Float32Array.from({ length: 8 }, (_, i) => Math.sin(text.length + i + text.charCodeAt(i))),
    },
  };
}

for (let n = 0; ; n++) {
  // Ten slots are rewritten again and again; every commit adds a document of its own.
  const own = `r${round}n${n}`;
  const documents = [document(own, `alpha ${own}`), document(`slot${n % 10}`, `slot alpha ${own}`)];
  const { generation } = await writer.commit({ documents, removeDocuments: [], sources: [] });
  writeSync(1, `${generation} ${own}\n`);
  if (n % 7 === 6) await writer.publish();
}
