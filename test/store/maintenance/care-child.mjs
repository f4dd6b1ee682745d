// Does one piece of maintenance over and over, to be killed at some moment.
//
//     node care-child.mjs <dist/> <index> <compact|backup|import|repair> <place for what it makes>

import { join } from 'node:path';

const [dist, folder, what, place] = process.argv.slice(2);
const { backupIndex, exportIndex, importIndex, openStore } = await import(new URL('store/index.js', dist));
const options = { graphThreshold: 20 };
if (what === 'import') await exportIndex(folder, join(place, 'x.jsonl'));
process.stdout.write('ready\n');
for (let round = 0; ; round++) {
  if (what === 'compact') {
    const store = await openStore(folder, options);
    const writer = await store.writer();
    await writer.commit({
      documents: [],
      removeDocuments: [],
      sources: [],
      updateMetadata: [{ id: 'docs/7.md', metadata: { n: round } }],
    });
    await writer.compact();
    await store.close();
  } else if (what === 'backup') await backupIndex(folder, join(place, `made-${round}`), options);
  else await importIndex(join(place, 'x.jsonl'), join(place, `made-${round}`), options);
}
