import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { folderWith } from '../temporary.js';
import { column, makePdf } from './make-pdf.js';

it('reads in a worker thread without a word on the console, a native canvas, or the network', () => {
  const folder = folderWith({ 'p.pdf': makePdf({ pages: [{ texts: column(['maple'], 50, 700) }] }) });
  const reader = pathToFileURL(join(import.meta.dirname, '../../../dist/documents/pdf/pdf.js')).href;
  writeFileSync(
    join(folder, 'main.mjs'),
    `import { Worker, isMainThread, parentPort } from 'node:worker_threads';
     import { readFileSync } from 'node:fs';
     if (isMainThread) {
       new Worker(new URL(import.meta.url)).on('message', (text) => process.stdout.write(text));
     } else {
       globalThis.fetch = () => { throw new Error('no network'); };
       const { readPdf } = await import(${JSON.stringify(reader)});
       const { text } = await readPdf(readFileSync(${JSON.stringify(join(folder, 'p.pdf'))}), 'p.pdf');
       const loaded = process.report.getReport().sharedObjects.filter((path) => path.includes('canvas'));
       parentPort.postMessage(text + loaded.join(' '));
     }`,
  );
  const output = execFileSync(process.execPath, [join(folder, 'main.mjs')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(output.toString()).toBe('maple');
});
