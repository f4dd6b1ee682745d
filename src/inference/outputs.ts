import type { InferenceSession } from 'onnxruntime-node';
import { SluiceError } from '../errors.js';
import type { ModelShape, ModelSpec } from './model-spec.js';

type OutputMetadata = readonly InferenceSession.ValueMetadata[];
interface FloatOutput {
  name: string;
  shape: ReadonlyArray<number | string>;
}

/**
 * Chooses the output to read, and checks it against what the folder says.
 * @throws SLUICE_MODEL_INVALID naming what the graph has instead
 */
export function chooseOutput(
  metadata: OutputMetadata,
  spec: ModelSpec,
): Pick<ModelShape, 'output' | 'dims' | 'pooling'> {
  const outputs = metadata.flatMap((output) =>
    output.isTensor && /^float(16|32)$/.test(output.type) ? [{ name: output.name, shape: output.shape }] : [],
  );
  return spec.kind === 'embedding' ? embeddingOutput(outputs, spec) : logitsOutput(outputs, spec);
}

/** One vector a text if the graph makes it under its usual name, else the token states, else any vector. */
function embeddingOutput(outputs: FloatOutput[], spec: ModelSpec) {
  const sentence = outputs.find(({ name, shape }) => name === 'sentence_embedding' && shape.length === 2);
  const states = outputs.find(({ shape }) => shape.length === 3);
  const chosen = sentence ?? states ?? outputs.find(({ shape }) => shape.length === 2);
  if (!chosen)
    throw unknownOutput(outputs, spec, 'token states [batch, tokens, dims] or vectors [batch, dims]');
  const last = chosen.shape.at(-1);
  const dims = typeof last === 'number' ? last : spec.dims;
  if (dims === null)
    throw unknownOutput(outputs, spec, 'an output of fixed length, or hidden_size in config.json');
  if (spec.dims !== null && dims !== spec.dims) {
    throw new SluiceError(
      'SLUICE_MODEL_INVALID',
      `${spec.name} makes vectors of ${dims}, but its folder states ${spec.dims}`,
      { details: { field: 'dims', expected: spec.dims, actual: dims } },
    );
  }
  return { output: chosen.name, dims, pooling: chosen.shape.length === 3 ? spec.pooling : ('none' as const) };
}

/**
 * A head of one logit, or of two classes: their number comes from the graph if it is fixed there, else from the
 * folder's labels.
 */
function logitsOutput(outputs: FloatOutput[], spec: ModelSpec) {
  const chosen =
    outputs.find(({ name }) => name === 'logits') ?? (outputs.length === 1 ? outputs[0] : undefined);
  if (!chosen || chosen.shape.length > 3)
    throw unknownOutput(outputs, spec, 'logits [batch, 1] or [batch, 2]');
  const last = chosen.shape.at(-1);
  const stated = spec.labels?.length;
  const logits = typeof last === 'number' && chosen.shape.length > 1 ? last : (stated ?? 0);
  if (stated !== undefined && stated !== logits) {
    throw new SluiceError(
      'SLUICE_MODEL_INVALID',
      `${spec.name} has ${logits} logits, but its config.json names ${stated} labels`,
      { details: { field: 'num_labels', expected: stated, actual: logits } },
    );
  }
  if (logits !== 1 && logits !== 2) throw unknownOutput(outputs, spec, 'a head of 1 or 2 logits');
  return { output: chosen.name, dims: logits, pooling: 'none' as const };
}

function unknownOutput(outputs: FloatOutput[], spec: ModelSpec, wanted: string): SluiceError {
  const found =
    outputs.map(({ name, shape }) => `${name} [${shape.join(', ')}]`).join(', ') || 'no float output';
  return new SluiceError('SLUICE_MODEL_INVALID', `${spec.name} has ${found}, but needs ${wanted}`, {
    details: { path: spec.modelPath, expected: wanted, actual: found },
  });
}
