import { afterEach, expect, it } from 'vitest';
import { openIndex } from '../../src/open-index.js';
import { newFolder, newIndex } from '../index-support.js';
import { type Workplace, workplace } from './support.js';

let place: Workplace;
afterEach(() => place.remove());

const BEES = [
  'Worker bees visit hundreds of flowers in a day.',
  'The nectar that bees bring home becomes honey.',
  'A queen bee lays the eggs of the whole hive.',
  'Beekeepers leave their bees some honey for the winter.',
];
const TAXES = [
  'Income tax is due at the end of April.',
  'A tax return that is late costs a penalty.',
  'The tax office pays a refund of income tax within weeks.',
  'Keep receipts, because the tax office may ask for them.',
];

it('cuts where the subject changes, with the model of the index in the prepare worker', async () => {
  place = await workplace({ 'docs/a.txt': [...BEES, ...TAXES].join(' ') });
  const folder = newFolder();
  const chunking = { strategy: 'semantic', breakpointPercentile: 90, bufferSentences: 0 } as const;
  const options = { model: 'all-MiniLM-L6-v2', reranker: false, threads: 1 } as const;
  const index = await openIndex(folder, { ...options, chunking });
  expect(await index.add(place.path('docs'))).toMatchObject({ documents: 1, chunks: 2 });
  const { hits } = await index.search('When must I pay the tax?', { k: 1 });
  expect(hits[0]?.text).toBe(TAXES.join(' '));
  await index.close();
  // Opened again, it cuts the same way without being told.
  const again = await openIndex(folder, options);
  expect(again.stats).toBeDefined();
  await place.write('docs/b.txt', [...TAXES, ...BEES].join(' '));
  expect(await again.add(place.path('docs'))).toMatchObject({ documents: 1, chunks: 2 });
  await again.close();
}, 120_000);

it('is refused with an embedder of the caller, which no worker can ask', async () => {
  place = await workplace({});
  await expect(newIndex({ chunking: { strategy: 'semantic' } })).rejects.toMatchObject({
    code: 'SLUICE_USAGE',
    message: expect.stringContaining('needs a model that runs here'),
  });
});
