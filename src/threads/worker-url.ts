/**
 * Where a worker's compiled file lies. Workers always run compiled JavaScript: from `dist/` the file is a neighbour,
 * from `src/` (tests run TypeScript in place) it is the twin under `dist/`, so build before you test.
 * @param importMetaUrl `import.meta.url` of the caller
 * @param file path relative to the caller, with the .js ending, e.g. './embed-worker.js'
 */
export function workerUrl(importMetaUrl: string, file: string): URL {
  const url = new URL(file, importMetaUrl);
  url.pathname = url.pathname.replace(/\/src\/(?=(?:[^/]+\/)*[^/]+\.js$)(?!.*\/src\/)/, '/dist/');
  return url;
}
