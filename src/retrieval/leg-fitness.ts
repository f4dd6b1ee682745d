import type { EmbedderFingerprint } from '../model/embedder.js';
import type { LegName } from './options.js';

/** Why a leg is unfit for a query; null where it is fit. */
export type LegFitness = Readonly<Record<LegName, string | null>>;

/** Decides per query which legs count. Pluggable: a caller who knows the models better brings another rule. */
export type FitnessRule = (query: string, embedder: EmbedderFingerprint) => LegFitness;

/** Share of the query's letters, over which a script that a model never learned makes it unfit. */
export const FOREIGN_SHARE = 0.5;

/**
 * The default rule.
 *  - keywords: unfit if the query holds no letter and no digit: no term could be looked up;
 *  - vectors: unfit if the model is known to read English only and over half of the query's letters are outside the
 *    Latin script: its tokenizer makes unknown or single-letter tokens of them, and near neighbours of such a vector
 *    are chance.
 */
export const legFitness: FitnessRule = (query, embedder) => ({
  keywords: /[\p{L}\p{N}]/u.test(query) ? null : 'the query holds no term',
  vectors: readsScript(query, embedder)
    ? null
    : `${embedder.name} reads English, and most letters of the query are outside the Latin script`,
});

/** Whether a model was trained on the script that most of the query's letters are in, as far as its name tells. */
export function readsScript(query: string, model: { kind: string; name: string }): boolean {
  return !isEnglishOnly(model) || foreignShare(query) <= FOREIGN_SHARE;
}

// A fingerprint has no field for languages, so the name has to do; an unknown name is taken to read everything.
const ENGLISH_ONLY =
  /all-(minilm|mpnet|distilroberta)|ms-marco-(minilm|electra|tinybert)|(bge|gte|e5|arctic-embed)-[a-z0-9-]*\ben\b|\be5-(small|base|large)-v2|reranker-v\d/i;
const MULTILINGUAL = /multiling|cross-?ling|-m3\b|labse/i;

/** Known families of English models, local ones only: what a remote model reads is its own affair. */
function isEnglishOnly(model: { kind: string; name: string }): boolean {
  return model.kind === 'onnx' && ENGLISH_ONLY.test(model.name) && !MULTILINGUAL.test(model.name);
}

/** Share of the letters outside the Latin script, 0 to 1; 0 for a text without letters. */
export function foreignShare(text: string): number {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return letters === 0 ? 0 : Math.max(0, letters - latin) / letters;
}
