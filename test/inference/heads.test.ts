import type { InferenceSession } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import type { ModelSpec } from '../../src/inference/model-spec.js';
import { chooseOutput } from '../../src/inference/outputs.js';
import { relevanceHead } from '../../src/inference/relevance-head.js';

const output = (name: string, shape: Array<number | string>, type = 'float32') =>
  ({ name, isTensor: true, type, shape }) as InferenceSession.ValueMetadata;

const spec = (fields: Partial<ModelSpec>): ModelSpec =>
  ({ name: 'm', kind: 'embedding', pooling: 'mean', dims: null, labels: null, ...fields }) as ModelSpec;

describe('the output of an embedding model', () => {
  it('is the vector of the graph, else the token states', () => {
    const states = output('last_hidden_state', ['batch', 'tokens', 4]);
    const sentence = output('sentence_embedding', ['batch', 4]);
    expect(chooseOutput([states, sentence], spec({}))).toEqual({
      output: 'sentence_embedding',
      dims: 4,
      pooling: 'none',
    });
    const pooler = output('pooler_output', ['batch', 4]);
    expect(chooseOutput([pooler, states], spec({ pooling: 'cls' }))).toEqual({
      output: 'last_hidden_state',
      dims: 4,
      pooling: 'cls',
    });
  });

  it('must agree with the folder', () => {
    const states = output('last_hidden_state', ['batch', 'tokens', 4]);
    expect(() => chooseOutput([states], spec({ dims: 384 }))).toThrow(
      /makes vectors of 4, but .* states 384/,
    );
    expect(chooseOutput([output('x', ['b', 't', 'd'])], spec({ dims: 8 })).dims).toBe(8);
    expect(() => chooseOutput([output('x', ['b', 't', 'd'])], spec({}))).toThrow(/x \[b, t, d\], but needs/);
    expect(() => chooseOutput([output('x', ['b', 4], 'int64')], spec({}))).toThrow(/no float output/);
  });
});

describe('the head of a cross-encoder', () => {
  const cross = (labels: string[] | null) => spec({ kind: 'cross-encoder', labels });

  it('has one or two logits', () => {
    expect(chooseOutput([output('logits', ['b', 1])], cross(null)).dims).toBe(1);
    expect(chooseOutput([output('logits', ['b', 1, 1])], cross(['LABEL_0'])).dims).toBe(1);
    expect(chooseOutput([output('logits', ['b', 2])], cross(['a', 'b'])).dims).toBe(2);
    expect(chooseOutput([output('logits', ['b', 'classes'])], cross(['a', 'b'])).dims).toBe(2);
  });

  it('is refused if it is none of relevance, or not what the folder says', () => {
    const nli = ['contradiction', 'entailment', 'neutral'];
    expect(() => chooseOutput([output('logits', ['b', 3])], cross(nli))).toThrow(
      /needs a head of 1 or 2 logits/,
    );
    expect(() => chooseOutput([output('logits', ['b', 'classes'])], cross(null))).toThrow(/head of 1 or 2/);
    expect(() => chooseOutput([output('logits', ['b', 2])], cross(['LABEL_0']))).toThrow(
      /2 logits, but .* 1 labels/,
    );
  });

  it('gives one number: the logit, or how much the answering class leads', () => {
    expect(relevanceHead(1, null)(Float32Array.of(-3))).toBe(-3);
    expect(relevanceHead(2, null)(Float32Array.of(1, 4))).toBe(3);
    expect(relevanceHead(2, ['LABEL_0', 'LABEL_1'])(Float32Array.of(1, 4))).toBe(3);
    expect(relevanceHead(2, ['relevant', 'irrelevant'])(Float32Array.of(1, 4))).toBe(-3);
    expect(() => relevanceHead(3, null)).toThrow(/3 logits is not a relevance head/);
    expect(() => relevanceHead(1, null)(Float32Array.of(1, 2))).toThrow(/returned 2 logits a pair, not 1/);
  });
});
