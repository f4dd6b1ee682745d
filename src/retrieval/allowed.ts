import { SluiceError } from '../errors.js';
import type { Label, LabelSet } from '../model/store.js';

/** Whether the set holds the label; a label beyond its bits is not in it. */
export function isAllowed(label: Label, allowed: LabelSet): boolean {
  return ((allowed.bits[label >> 3] ?? 0) & (1 << (label & 7))) !== 0;
}

/**
 * Throws SLUICE_INTERNAL if a label is outside the filter. Legs filter by themselves; this is the second lock on the
 * one promise that an access rule stands on, and it costs a bit test a candidate. The message names no text.
 */
export function assertAllowed(labels: Iterable<Label>, allowed: LabelSet, stage: string): void {
  for (const label of labels) {
    if (isAllowed(label, allowed)) continue;
    throw new SluiceError('SLUICE_INTERNAL', `${stage} brought a chunk that the filter forbids`, {
      hint: 'this is a bug; please report it',
      details: { stage, label },
    });
  }
}
