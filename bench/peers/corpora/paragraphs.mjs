/** Paragraphs, and what the engines made of them: each leaves its vectors in the folder to be compared. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packTexts } from '../../../dist/model/text-column.js';
import { addon } from '../../../dist/native/addon.js';
import { readArray, writeArray } from '../../lib/arrays.mjs';
import { markdownFiles, paragraphs } from '../../lib/markdown-corpus.mjs';
import { modelFolder } from '../model-folder.mjs';

const ALL_BYTES = 2 ** 30;

/** Only texts that fit the model's window: beyond it Sluice does more work, and bare ONNX Runtime has no answer. */
export async function make(folder, { size, settings }) {
  const tokenizer = addon().ModelTokenizer.fromFile(path.join(modelFolder(settings.model), 'tokenizer.json'));
  const candidates = paragraphs(markdownFiles(ALL_BYTES), size * 2);
  const column = packTexts(candidates);
  const tokens = tokenizer.countRows(column.bytes, column.offsets);
  const limit = settings.windowTokens - tokenizer.specialTokens;
  const texts = candidates.filter((_, row) => tokens[row] <= limit).slice(0, size);
  await writeFile(path.join(folder, 'texts.json'), JSON.stringify(texts));
}

export async function read(folder) {
  const texts = JSON.parse(await readFile(path.join(folder, 'texts.json'), 'utf8'));
  return { texts, keepVectors: (engine, vectors) => writeArray(path.join(folder, `${engine}.f32`), vectors) };
}

/** Mean and lowest cosine between the two engines' unit vectors of the same text. */
export async function compare(folder) {
  const { texts } = await read(folder);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.f32'));
  const [one, other] = await Promise.all(
    files.map((name) => readArray(path.join(folder, name), Float32Array)),
  );
  if (files.length !== 2 || one.length !== other.length)
    throw new Error(`not two equal sets: ${files.join(', ')}`);
  const dims = one.length / texts.length;
  const cosines = texts.map((_, row) => {
    let sum = 0;
    for (let i = row * dims; i < (row + 1) * dims; i++) sum += one[i] * other[i];
    return sum;
  });
  const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
  return { 'mean cosine between the two': mean, 'lowest cosine': Math.min(...cosines) };
}
