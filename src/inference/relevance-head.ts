import { SluiceError } from '../errors.js';

/** Class names that say "this passage answers", in whatever language of labels a model was exported with. */
const POSITIVE = /^(relevant|positive|pos|yes|true|1|label_1)$/i;

/**
 * Turns the logits of one pair into one score. One logit is the score; of two, it is the answering class less the
 * other one: the log-odds that the passage answers.
 * @throws SLUICE_MODEL_INVALID for another number of logits
 */
export function relevanceHead(count: number, labels: string[] | null): (logits: Float32Array) => number {
  const expectLogits = (logits: Float32Array) => {
    if (logits.length === count) return logits;
    throw new SluiceError(
      'SLUICE_MODEL_INVALID',
      `the model returned ${logits.length} logits a pair, not ${count}`,
    );
  };
  if (count === 1) return (logits) => expectLogits(logits)[0]!;
  if (count !== 2) {
    throw new SluiceError('SLUICE_MODEL_INVALID', `a head of ${count} logits is not a relevance head`);
  }
  // Two classes without telling names: the second is the positive one, as everywhere.
  const positive = labels?.findIndex((label) => POSITIVE.test(label)) === 0 ? 0 : 1;
  return (logits) => expectLogits(logits)[positive]! - logits[1 - positive]!;
}
