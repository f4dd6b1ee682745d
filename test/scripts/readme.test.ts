import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderWith } from '../cli/command.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const execute = promisify(execFile);

const GUIDE =
  '---\nlang: en\nyear: 2024\nstatus: draft\n---\n# Webhooks\n\nWebhooks are retried for 24 hours.\n';
const ERRORS = '---\nlang: de\n---\n# Errors\n\nE1043 means that the door of the kiln is open.\n';

let folder: Awaited<ReturnType<typeof folderWith>>;

beforeAll(async () => {
  folder = await folderWith({
    'package.json': '{"type":"module"}',
    'docs/guide.md': GUIDE,
    'docs/errors.md': ERRORS,
    'notes/todo.md': 'Write about the refund policy.\n',
  });
  const modules = join(folder.path, 'node_modules');
  await mkdir(modules);
  await symlink(ROOT, join(modules, 'sluice'), 'junction');
  await symlink(join(ROOT, 'node_modules', '@types'), join(modules, '@types'), 'junction');
});

afterAll(() => folder.remove());

/** The first fenced block of a language behind a heading. */
function block(heading: string, language: string): string {
  const section = README.slice(README.indexOf(`\n## ${heading}\n`));
  const found = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(section)?.[1];
  expect(found, `${language} below "${heading}"`).toBeDefined();
  return found!;
}

describe('the examples of README.md', () => {
  it('of the library compile and run', async () => {
    const example = `${block('The library', 'ts')}\nconsole.log(JSON.stringify({ used, left: documents.map(({ id }) => id), cursor }));\n`;
    await writeFile(join(folder.path, 'example.ts'), example);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const how = [
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--skipLibCheck',
      '--types',
      'node',
    ];
    await execute(process.execPath, [tsc, ...how, 'example.ts'], { cwd: folder.path });
    const { stdout } = await execute(process.execPath, ['example.js'], { cwd: folder.path });
    const { used, left } = JSON.parse(stdout.trim().split('\n').at(-1)!);
    expect(used[0]).toMatchObject({ documentId: 'faq-7', number: 1 });
    // faq-7 was valid until 2023, and went.
    expect(left).toEqual(['docs/guide.md']);
  });

  it('of the command end with exit status 0', async () => {
    /** Need files that a reader brings along, or are tested at their own place. */
    const others = /--index|eval|doctor/;
    const lines = block('The command', 'sh')
      .split('\n')
      .filter((line) => line !== '' && !others.test(line));
    expect(lines.length).toBeGreaterThanOrEqual(8);
    const main = join(ROOT, 'dist/cli/main.js');
    const script = lines.map((line) => line.replace(/^npx sluice/, `"${process.execPath}" "${main}"`));
    const { stdout } = await execute('sh', ['-euc', script.join('\n')], { cwd: folder.path });
    expect(stdout).toContain('Updated 1 of 1 document.');
    expect(stdout).toContain('Removed 1 document with 1 chunk.');
    expect(stdout).toContain('Nothing is damaged');
  });
});
