import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const root = mkdtempSync(join(tmpdir(), 'sluice-addon-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What `addon()` of a built package throws whose native part is as given; undefined: there is none. */
async function thrownBy(name: string, binding: string | undefined): Promise<Record<string, unknown>> {
  const place = join(root, name);
  mkdirSync(join(place, 'native-bindings'), { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  cpSync('dist/native', join(place, 'dist/native'), { recursive: true });
  cpSync('dist/errors.js', join(place, 'dist/errors.js'));
  if (binding !== undefined) writeFileSync(join(place, 'native-bindings/index.cjs'), binding);
  const url = pathToFileURL(join(place, 'dist/native/addon.js')).href;
  const program = `
    const { addon } = await import(${JSON.stringify(url)});
    try { addon(); } catch ({ code, message, hint }) { console.log(JSON.stringify({ code, message, hint })); }`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return JSON.parse(stdout);
}

describe('an addon that does not load', () => {
  it.each([
    ['is missing', undefined, /Cannot find module/],
    ['is of another platform', "throw new Error('no build for this platform')", /no build for this platform/],
  ])('because it %s: a code, the reason and what to do', async (name, binding, reason) => {
    const thrown = await thrownBy(name, binding);
    expect(thrown).toMatchObject({ code: 'SLUICE_NATIVE_UNAVAILABLE' });
    expect(thrown.message).toMatch(reason);
    expect(thrown.message).toContain(`${process.platform}-${process.arch}`);
  });
});
