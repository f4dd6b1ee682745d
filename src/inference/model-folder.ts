import { open, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SluiceError } from '../errors.js';
import { digestFiles } from './file-digest.js';
import {
  dimsOf,
  kindOf,
  labelsOf,
  nameOf,
  normalizedOf,
  poolingOf,
  precisionOf,
  prefixesOf,
  readSettings,
  windowOf,
} from './model-settings.js';
import type { ModelKind, ModelSpec } from './model-spec.js';

/** Models that lie in the package and work offline. */
export const EMBEDDED_MODELS = ['all-MiniLM-L6-v2', 'reranker-v0'] as const;
const EMBEDDED_OF_KIND: Record<ModelKind, (typeof EMBEDDED_MODELS)[number]> = {
  embedding: 'all-MiniLM-L6-v2',
  'cross-encoder': 'reranker-v0',
};
export const DEFAULT_EMBEDDING_MODEL = EMBEDDED_OF_KIND.embedding;
export const DEFAULT_RERANKER_MODEL = EMBEDDED_OF_KIND['cross-encoder'];

/** Where exports on hubs keep the graph, in the order of preference. */
const MODEL_FILES = ['model.onnx', 'onnx/model.onnx', 'onnx/model_quantized.onnx'];
const NEEDED =
  'a model folder holds model.onnx (or onnx/model.onnx, onnx/model_quantized.onnx), tokenizer.json and config.json';

export interface ModelFolderOptions {
  /** The graph's file, relative to the folder, where there are several. */
  file?: string;
  /** For folders that don't say how their token states are pooled. Default: as the folder says, else 'mean'. */
  pooling?: ModelSpec['pooling'];
  /** Smaller windows than the model's. Default: the model's. */
  windowTokens?: number;
  queryPrefix?: string;
  passagePrefix?: string;
}

/**
 * Reads what a model folder says: the name of an embedded model, or the path of an ONNX export as found on hubs.
 * Nothing is loaded; the model's bytes are hashed once and remembered by path, size and time.
 * @throws SLUICE_MODEL_INVALID naming the file that is missing, or that says something unusable
 */
export async function readModelFolder(
  model: string,
  kind: ModelKind,
  options: ModelFolderOptions = {},
): Promise<ModelSpec> {
  const folder = await requireModelFolder(model, kind);
  const modelPath = await findModelFile(folder, options.file);
  const tokenizerPath = await requireFile(folder, 'tokenizer.json');
  await requireFile(folder, 'config.json');
  const settings = await readSettings(folder);
  if (kindOf(settings) !== kind) {
    throw invalid(folder, `holds a model of kind ${kindOf(settings)}, but ${kind} was asked for`);
  }
  const window = windowOf(settings);
  const [digest, tokenizerDigest] = await Promise.all([digestModel(modelPath), digestFiles([tokenizerPath])]);
  const prefixes = prefixesOf(settings);
  return {
    name: nameOf(settings) ?? basename(folder),
    kind,
    modelPath,
    tokenizerPath,
    modelSha256: digest.sha256,
    tokenizerSha256: tokenizerDigest.sha256,
    precision: precisionOf(settings, modelPath, digest.dynamicInt8),
    pooling: options.pooling ?? poolingOf(settings, folder),
    normalized: normalizedOf(settings),
    windowTokens: checkedWindow(folder, options.windowTokens, window),
    dims: dimsOf(settings),
    prefixes: {
      query: options.queryPrefix ?? prefixes.query,
      passage: options.passagePrefix ?? prefixes.passage,
    },
    labels: kind === 'cross-encoder' ? labelsOf(settings) : null,
  };
}

/** The folder of an embedded model, or the given path made absolute. */
export function modelFolderPath(model: string): string {
  if (!(EMBEDDED_MODELS as readonly string[]).includes(model)) return resolve(model);
  return fileURLToPath(new URL(`../../models/${model}`, import.meta.url));
}

/**
 * Cheap: looks only whether it is there.
 * @returns its path
 * @throws SLUICE_MODEL_INVALID
 */
export async function requireModelFolder(model: string, kind: ModelKind): Promise<string> {
  const folder = modelFolderPath(model);
  if (await exists(folder, 'folder')) return folder;
  throw new SluiceError('SLUICE_MODEL_INVALID', `there is no model folder at ${folder}`, {
    hint: `the package holds ${EMBEDDED_OF_KIND[kind]}; ${NEEDED}`,
    details: { path: folder },
  });
}

async function requireFile(folder: string, file: string): Promise<string> {
  const path = join(folder, file);
  if (!(await exists(path))) throw invalid(folder, `lacks ${file}`);
  return path;
}

async function findModelFile(folder: string, file: string | undefined): Promise<string> {
  if (file !== undefined) return requireFile(folder, file);
  for (const candidate of MODEL_FILES) {
    if (await exists(join(folder, candidate))) return join(folder, candidate);
  }
  throw invalid(folder, `lacks ${MODEL_FILES[0]}`);
}

/** Large exports keep their weights in a second file next to the graph. */
async function digestModel(modelPath: string) {
  for (const data of [`${modelPath}_data`, `${modelPath}.data`]) {
    if (await exists(data)) return digestFiles([modelPath, data]);
  }
  return digestFiles([modelPath]);
}

function checkedWindow(folder: string, asked: number | undefined, most: number): number {
  if (asked === undefined) return most;
  if (Number.isSafeInteger(asked) && asked >= 8 && asked <= most) return asked;
  throw new SluiceError('SLUICE_USAGE', `windowTokens is ${asked}, but ${folder} takes 8 to ${most}`, {
    details: { field: 'windowTokens', actual: asked, most },
  });
}

function invalid(folder: string, problem: string): SluiceError {
  return new SluiceError('SLUICE_MODEL_INVALID', `${folder} ${problem}`, {
    hint: NEEDED,
    details: { path: folder },
  });
}

/**
 * Whether there is such a file, or folder.
 * @throws SLUICE_MODEL_INVALID where it is there and cannot be read, or nobody lets us look
 */
async function exists(path: string, kind: 'file' | 'folder' = 'file'): Promise<boolean> {
  try {
    // A folder may be passed through without a right to list it; of a file only opening tells what we may do.
    if (kind === 'folder') await stat(path);
    else await (await open(path)).close();
    return true;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw new SluiceError(
      'SLUICE_MODEL_INVALID',
      `${path} is part of a model, but cannot be read: ${message}`,
      {
        hint: 'check who may read it and the folders above it',
        cause,
        details: { path, cause: code },
      },
    );
  }
}
