import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { modelFolderPath } from '../../src/inference/model-folder.js';

/** The tiny graphs that scripts/models/make_test_graphs.py wrote. */
export const GRAPHS = fileURLToPath(new URL('./graphs/', import.meta.url));

const made: string[] = [];

/** A temporary folder that `removeFolders` takes away. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-model-'));
  made.push(folder);
  return folder;
}

export async function removeFolders(): Promise<void> {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
}

/** A model folder of one of the tiny graphs with the embedded tokenizer; `files` are written as JSON. */
export async function graphFolder(graph: string, files: Record<string, unknown> = {}): Promise<string> {
  const folder = await temporaryFolder();
  await cp(join(GRAPHS, `${graph}.onnx`), join(folder, 'model.onnx'));
  await cp(join(modelFolderPath('all-MiniLM-L6-v2'), 'tokenizer.json'), join(folder, 'tokenizer.json'));
  for (const [name, content] of Object.entries({ 'config.json': {}, ...files })) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify(content));
  }
  return folder;
}

export const CROSS_ENCODER = { architectures: ['BertForSequenceClassification'] };

/** A copy of an embedded model's folder under another name. */
export async function copyOfModel(name: string): Promise<string> {
  const folder = join(await temporaryFolder(), 'renamed');
  await cp(modelFolderPath(name), folder, { recursive: true });
  return folder;
}

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    aa += a[i]! ** 2;
    bb += b[i]! ** 2;
  }
  return dot / Math.sqrt(aa * bb);
}
