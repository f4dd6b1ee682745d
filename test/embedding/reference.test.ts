import { describe, expect, it } from 'vitest';
import { callerEmbedder } from '../../src/embedding/caller.js';
import {
  checkReference,
  compareReference,
  makeReference,
  REFERENCE_TEXTS,
} from '../../src/embedding/reference.js';

/** An embedder that turns every vector by an angle. */
const turned = (radians: number, dims = 2) =>
  callerEmbedder({
    model: 'turned',
    dims,
    windowTokens: 99,
    embed: (texts) =>
      texts.map((text) =>
        Array.from({ length: dims }, (_, d) => (d ? Math.sin : Math.cos)(text.length + radians)),
      ),
  });

describe('the reference of a passport', () => {
  it('survives JSON and comes back with cosine 1', async () => {
    const reference = JSON.parse(JSON.stringify(await makeReference(turned(0))));
    expect(reference.texts).toEqual(REFERENCE_TEXTS);
    expect((await compareReference(reference, turned(0))).minCosine).toBeGreaterThan(0.99999);
    await expect(checkReference(reference, turned(0.1))).resolves.toMatchObject({
      minCosine: expect.closeTo(Math.cos(0.1), 4),
    });
  });

  it('refuses an embedder that makes other vectors, with the field and the cosine', async () => {
    const reference = await makeReference(turned(0));
    await expect(checkReference(reference, turned(0.5))).rejects.toMatchObject({
      code: 'SLUICE_PASSPORT_MISMATCH',
      message: expect.stringMatching(/^reference: turned makes other vectors .*cosine 0\.8776/),
      details: { field: 'reference', expected: 0.98, actual: expect.closeTo(Math.cos(0.5), 3) },
    });
    await expect(checkReference(reference, turned(0, 3))).rejects.toMatchObject({
      code: 'SLUICE_PASSPORT_MISMATCH',
    });
  });
});
