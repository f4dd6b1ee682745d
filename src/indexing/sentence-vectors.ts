import { embedRows } from '../inference/embed-rows.js';
import type { ModelSpec } from '../inference/index.js';
import { OnnxModel } from '../inference/onnx-model.js';
import type { EmbedSentences } from '../model/chunker.js';
import { packTexts } from '../model/text-column.js';

/**
 * Embeds sentences in the thread that asks, with a session of one intra-op thread that is opened on first use. It stands
 * beside the sessions of the bulk lane: while documents are cut by meaning, inference has one thread more.
 */
export function sentenceEmbedder(spec: ModelSpec): EmbedSentences {
  let opened: Promise<OnnxModel> | undefined;
  return async (texts) => {
    opened ??= OnnxModel.open(spec, 'cpu');
    const model = await opened;
    const prefix = spec.prefixes.passage;
    const { vectors } = await embedRows(
      model,
      packTexts(texts.map((text) => prefix + text)),
      prefix,
      () => false,
    );
    return { rows: texts.length, dims: model.shape.dims, data: vectors };
  };
}
