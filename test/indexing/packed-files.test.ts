import { writeFile } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { makeDocx, p, styled } from '../documents/docx/make-docx.js';
import { column, makePdf } from '../documents/pdf/make-pdf.js';
import { bagOfWords, type Workplace, workplace } from './support.js';

let place: Workplace;

afterEach(() => place.remove());

it('finds text in PDF and Word files by search, and says on which page it is', async () => {
  place = await workplace({ 'docs/note.md': '# Note\n\nOnly a note.' });
  const pages = ['maple', 'birch', 'larch', 'alder'].map((host) => ({
    texts: column(
      Array.from(
        { length: 12 },
        (_, i) => `Line ${i} of the page about the host ${host}, e\x04cient work\x03ow too.`,
      ),
      50,
      700,
    ).map((text) => ({ ...text, font: 'Ligatures' as const })),
  }));
  await writeFile(place.path('docs/hosts.pdf'), makePdf({ pages }));
  await writeFile(
    place.path('docs/plan.docx'),
    makeDocx({ body: styled('Heading1', 'Floods') + p('The cellar was under water.') }),
  );
  await writeFile(place.path('docs/scan.pdf'), makePdf({ pages: [{}] }));
  await writeFile(place.path('docs/torn.docx'), 'PK\x03\x04 cut off');
  const index = await place.open(bagOfWords());
  const report = await index.add(place.path('docs'));
  expect(report.skippedByCode).toEqual({ SLUICE_DOCUMENT_EMPTY: 1, SLUICE_FILE_UNREADABLE: 1 });
  const first = async (query: string) => (await index.search(query, { legs: { vectors: false } })).hits[0];
  expect(await first('larch')).toMatchObject({ documentId: 'docs/hosts.pdf', page: 3 });
  expect(await first('alder')).toMatchObject({ documentId: 'docs/hosts.pdf', page: 4 });
  // P5
  expect(await first('efficient workflow')).toMatchObject({ documentId: 'docs/hosts.pdf' });
  expect(await first('cellar')).toMatchObject({
    documentId: 'docs/plan.docx',
    headingPath: 'Floods',
    page: 0,
  });
  await index.close();
});
