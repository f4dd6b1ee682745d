import { describe, expect, it } from 'vitest';
import type { DocumentAudit } from '../../src/audit/document-audit.js';
import { DroppedSums } from '../../src/audit/dropped-sums.js';

const page = (chars: number, lost: number, isText = true) =>
  ({
    id: 'page',
    chars,
    dropped: [{ reason: 'navigation', chars: lost, isText }],
  }) as unknown as DocumentAudit;

describe('DroppedSums', () => {
  it.each([
    [100, 199, true, false],
    [100, 200, true, true],
    [10_000, 4_000, true, false],
    [10_000, 5_000, true, true],
    [100, 5_000, false, false],
  ])(
    'of %i characters kept and %i dropped (text: %s) says whether the file fails: %s',
    (kept, lost, isText, fails) => {
      const sums = new DroppedSums(0.3);
      expect(sums.add(page(kept, lost, isText))).toBe(fails);
      expect(sums.textChars).toBe(isText ? lost : 0);
      expect(sums.byReason()).toEqual([{ reason: 'navigation', chars: lost, documents: 1, isText }]);
    },
  );
});
