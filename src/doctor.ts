import { readFileSync } from 'node:fs';
import { cpus, freemem, totalmem } from 'node:os';
import { openEmbedder } from './embedding/index.js';
import {
  DEFAULT_EMBEDDING_MODEL,
  DEFAULT_RERANKER_MODEL,
  readModelFolder,
} from './inference/model-folder.js';
import { listProviders, type ProviderInfo } from './inference/providers.js';
import { packTexts } from './model/text-column.js';
import { addon } from './native/addon.js';
import { openReranker } from './reranking/index.js';
import { cgroupQuota, usableCores } from './threads/cores.js';

/** What a machine gives and whether the parts work on it. Plain data. */
export interface Diagnosis {
  version: string;
  node: string;
  platform: string;
  cpu: { model: string; arch: string; features: string[]; kernel: string };
  cores: { usable: number; logical: number; quota: number | null };
  /** Bytes. */
  memory: { free: number; total: number };
  providers: ProviderInfo[];
  models: ModelDiagnosis[];
  /** One sentence each; empty if all is well. */
  problems: string[];
}

export interface ModelDiagnosis {
  name: string;
  kind: 'embedding' | 'cross-encoder';
  precision: string | null;
  windowTokens: number | null;
  /** What running it showed. */
  check: string | null;
  error: string | null;
}

const TEXTS = packTexts([
  'The glaze kiln reaches cone ten after nine hours.',
  'Wallet credit expires after 90 days.',
]);
const QUESTION = 'How long until the kiln reaches cone ten?';

/** Looks at the machine and runs each model of the package once. A part that fails is a problem, not an exception. */
export async function diagnose(): Promise<Diagnosis> {
  const problems: string[] = [];
  const attempt = <T>(what: string, work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch (error) {
      problems.push(`${what}: ${(error as Error).message}`);
      return otherwise;
    }
  };
  const native = attempt('native addon', () => addon().cpu(), {
    arch: process.arch,
    features: [],
    kernel: 'none',
  });
  const providers = attempt('ONNX Runtime', listProviders, []);
  const models = [await checkEmbedder(), await checkReranker()];
  for (const { name, error } of models) if (error !== null) problems.push(`model ${name}: ${error}`);
  const quota = cgroupQuota((path) => readFileSync(path, 'utf8')) ?? null;
  return {
    version: packageVersion(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    cpu: { model: cpus()[0]?.model ?? 'unknown', ...native },
    cores: { usable: usableCores(), logical: cpus().length, quota },
    memory: { free: freemem(), total: totalmem() },
    providers,
    models,
    problems,
  };
}

function checkEmbedder(): Promise<ModelDiagnosis> {
  return checkModel(DEFAULT_EMBEDDING_MODEL, 'embedding', async () => {
    const embedder = await openEmbedder({ model: DEFAULT_EMBEDDING_MODEL });
    try {
      await embedder.embed(TEXTS, 'passage');
      const started = performance.now();
      const { matrix } = await embedder.embed(TEXTS, 'passage');
      return `${matrix.rows} texts in ${(performance.now() - started).toFixed(0)} ms`;
    } finally {
      await embedder.close();
    }
  });
}

function checkReranker(): Promise<ModelDiagnosis> {
  return checkModel(DEFAULT_RERANKER_MODEL, 'cross-encoder', async () => {
    const reranker = await openReranker({ model: DEFAULT_RERANKER_MODEL });
    try {
      const { scores } = await reranker.score(QUESTION, TEXTS);
      return scores[0]! > scores[1]! ? 'ranks an answer over a stranger' : 'ranks a stranger over an answer';
    } finally {
      await reranker.close();
    }
  });
}

async function checkModel(
  name: string,
  kind: ModelDiagnosis['kind'],
  check: () => Promise<string>,
): Promise<ModelDiagnosis> {
  try {
    const { precision, windowTokens } = await readModelFolder(name, kind);
    return { name, kind, precision, windowTokens, check: await check(), error: null };
  } catch (error) {
    return { name, kind, precision: null, windowTokens: null, check: null, error: (error as Error).message };
  }
}

function packageVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
