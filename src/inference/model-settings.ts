import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SluiceError } from '../errors.js';
import type { ModelKind, ModelSpec, Precision } from './model-spec.js';

type Json = Record<string, unknown>;

/** The settings files that may lie in a model folder; absent ones are empty. */
export interface SettingsFiles {
  /** Our own card: `sluice.json`. What it says goes before everything else. */
  card: Json;
  config: Json;
  pooling: Json;
  sentenceBert: Json;
  tokenizer: Json;
  sentenceTransformers: Json;
  modules: unknown[] | null;
}

export async function readSettings(folder: string): Promise<SettingsFiles> {
  const read = (file: string) => readJson(join(folder, file));
  const [card, config, pooling, sentenceBert, tokenizer, sentenceTransformers, modules] = await Promise.all([
    read('sluice.json'),
    read('config.json'),
    read('1_Pooling/config.json'),
    read('sentence_bert_config.json'),
    read('tokenizer_config.json'),
    read('config_sentence_transformers.json'),
    read('modules.json'),
  ]);
  return {
    card: asObject(card),
    config: asObject(config),
    pooling: asObject(pooling),
    sentenceBert: asObject(sentenceBert),
    tokenizer: asObject(tokenizer),
    sentenceTransformers: asObject(sentenceTransformers),
    modules: Array.isArray(modules) ? modules : null,
  };
}

/** @throws SLUICE_MODEL_INVALID naming the file that isn't JSON */
async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SluiceError('SLUICE_MODEL_INVALID', `cannot read ${path}: ${(cause as Error).message}`, {
      cause,
    });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SluiceError('SLUICE_MODEL_INVALID', `${path} is not JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
}

const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {};
const asString = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const asCount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;

export function kindOf({ card, config }: SettingsFiles): ModelKind {
  if (card.kind === 'embedding' || card.kind === 'cross-encoder') return card.kind;
  const architectures = Array.isArray(config.architectures) ? config.architectures.join(' ') : '';
  return architectures.includes('ForSequenceClassification') ? 'cross-encoder' : 'embedding';
}

/**
 * Mean, unless the folder says otherwise.
 * @throws SLUICE_MODEL_INVALID for a way of pooling other than mean and the first token
 */
export function poolingOf({ card, pooling }: SettingsFiles, folder: string): ModelSpec['pooling'] {
  if (card.pooling === 'mean' || card.pooling === 'cls') return card.pooling;
  if (pooling.pooling_mode_cls_token === true) return 'cls';
  const other = Object.keys(pooling).find((key) => key.startsWith('pooling_mode_') && pooling[key] === true);
  if (other === undefined || other === 'pooling_mode_mean_tokens') return 'mean';
  throw new SluiceError(
    'SLUICE_MODEL_INVALID',
    `${folder} wants ${other}, but only mean and cls are supported`,
    {
      details: { path: folder, field: 'pooling', actual: other },
    },
  );
}

/** A folder with a list of modules normalizes if the list has the step; others do by default. */
export function normalizedOf({ card, modules }: SettingsFiles): boolean {
  if (typeof card.normalize === 'boolean') return card.normalize;
  return modules === null || modules.some((module) => String(asObject(module).type).endsWith('Normalize'));
}

/** Families whose position table starts after the padding index, so that two of its rows are never used. */
const OFFSET_POSITIONS = /roberta|camembert|mpnet|xlm/;
const DEFAULT_WINDOW_TOKENS = 512;

/**
 * Tokens of one model call: what the card or the sentence model says, else the tokenizer's limit, never more than the
 * model has positions for.
 */
export function windowOf({ card, config, sentenceBert, tokenizer }: SettingsFiles): number {
  const positions = asCount(config.max_position_embeddings);
  const offset = OFFSET_POSITIONS.test(asString(config.model_type) ?? '') ? 2 : 0;
  const most = positions === undefined ? undefined : positions - offset;
  const stated = asCount(card.windowTokens) ?? asCount(sentenceBert.max_seq_length);
  // Tokenizers without a limit state an astronomic one.
  const tokenizerLimit = asCount(tokenizer.model_max_length);
  const wanted = stated ?? (tokenizerLimit !== undefined && tokenizerLimit < 1e6 ? tokenizerLimit : most);
  return Math.min(wanted ?? DEFAULT_WINDOW_TOKENS, most ?? Infinity);
}

export function prefixesOf({ card, sentenceTransformers }: SettingsFiles): ModelSpec['prefixes'] {
  const prompts = asObject(sentenceTransformers.prompts);
  return {
    query: asString(card.queryPrefix) ?? asString(prompts.query) ?? '',
    passage: asString(card.passagePrefix) ?? asString(prompts.passage) ?? asString(prompts.document) ?? '',
  };
}

export function dimsOf({ card, config, modules }: SettingsFiles): number | null {
  // A dense layer after the encoder changes the length: then only the graph knows.
  const projected = modules?.some((module) => String(asObject(module).type).endsWith('Dense')) ?? false;
  return asCount(card.dims) ?? (projected ? null : (asCount(config.hidden_size) ?? null));
}

/** Class names in the order of the logits: from `id2label`, else made up from `num_labels`. */
export function labelsOf({ config }: SettingsFiles): string[] | null {
  const names = asObject(config.id2label);
  const ids = Object.keys(names).map(Number);
  if (ids.length > 0) return ids.sort((a, b) => a - b).map((id) => String(names[id]));
  const count = asCount(config.num_labels);
  return count === undefined ? null : Array.from({ length: count }, (_, id) => `LABEL_${id}`);
}

/** The card's word, else what the file holds, else what its name says. */
export function precisionOf({ card }: SettingsFiles, modelPath: string, dynamicInt8: boolean): Precision {
  const stated = asString(card.precision);
  if (stated === 'int8' || stated === 'fp32' || stated === 'fp16') return stated;
  if (dynamicInt8) return 'int8';
  return /fp16|float16/i.test(modelPath) ? 'fp16' : 'fp32';
}

export function nameOf({ card }: SettingsFiles): string | undefined {
  return asString(card.name);
}
