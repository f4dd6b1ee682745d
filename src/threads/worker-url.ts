/**
 * Where a worker's compiled file lies. Workers always run compiled JavaScript: from `dist/` the file is a neighbour,
 * from `src/` (tests run TypeScript in place) it is the twin under `dist/`, so build before you test.
 * @param importMetaUrl `import.meta.url` of the caller
 * @param file path relative to the caller, with the .js ending, e.g. './embed-worker.js'
 */
export function workerUrl(importMetaUrl: string, file: string): URL {
  const url = new URL(file, importMetaUrl);
  if (!importMetaUrl.endsWith('.ts')) return url;
  const at = url.pathname.lastIndexOf('/src/');
  url.pathname = `${url.pathname.slice(0, at)}/dist/${url.pathname.slice(at + '/src/'.length)}`;
  return url;
}
