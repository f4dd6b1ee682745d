import { describe, expect, it } from 'vitest';
import { newIndex, toyModel } from './index-support.js';

const documents = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `d${n}`,
    text: `Kiln ${n} glows.`,
    metadata: { n, status: n % 2 === 0 ? 'draft' : 'final' },
  }));

describe('update', () => {
  it('changes metadata by filter, in portions, without embedding anything', async () => {
    const embedded: string[] = [];
    const index = await newIndex({ model: toyModel('toy', 16, embedded) });
    await index.add(documents(700));
    const before = embedded.length;
    const patch = { set: { status: 'final', 'review.by': 'ada' }, unset: ['n'] };
    expect(await index.update({ filter: { status: 'draft' } }, patch)).toEqual({
      documents: 350,
      updated: 350,
      unknown: [],
    });
    expect(embedded).toHaveLength(before);
    expect(await index.count({ filter: { status: 'draft' } })).toEqual({ documents: 0, chunks: 0 });
    expect((await index.get('d2'))?.metadata).toEqual({ status: 'final', review: { by: 'ada' } });
    const { hits } = await index.search('kiln 2', { k: 1, filter: { 'review.by': 'ada', $id: 'd2' } });
    expect(hits).toMatchObject([{ documentId: 'd2', metadata: { status: 'final' } }]);
  });

  it('changes documents by id, passes over what does not exist, and tells what stayed as it was', async () => {
    const index = await newIndex();
    await index.add(documents(3));
    expect(await index.update(['d0', 'd1', 'nope', 'nope', 'd0'], { set: { status: 'final' } })).toEqual({
      documents: 2,
      updated: 1,
      unknown: ['nope'],
    });
  });

  it('gives way to the source when that changes', async () => {
    const index = await newIndex();
    await index.add({ id: 'a', text: 'one', metadata: { v: 1 } });
    await index.update('a', { set: { v: 2 } });
    await index.add({ id: 'a', text: 'one', metadata: { v: 1 } });
    expect((await index.get('a'))?.metadata).toEqual({ v: 2 });
    await index.add({ id: 'a', text: 'two', metadata: { v: 1 } });
    expect((await index.get('a'))?.metadata).toEqual({ v: 1 });
  });

  it('says what is wrong with a patch before anything is changed', async () => {
    const index = await newIndex();
    await index.add(documents(1));
    await expect(index.update('d0', {})).rejects.toThrow(/changes nothing/);
    await expect(index.update('d0', { set: { 'status.x': 1 } })).rejects.toMatchObject({
      code: 'SLUICE_USAGE',
    });
    expect((await index.get('d0'))?.metadata).toEqual({ n: 0, status: 'draft' });
  });
});

describe('remove', () => {
  it('removes by filter and by ids', async () => {
    const index = await newIndex();
    await index.add(documents(600));
    expect(await index.remove({ filter: { n: { gte: 20 } } })).toEqual({
      removedDocuments: 580,
      removedChunks: 580,
      unknown: [],
    });
    expect(await index.remove(['d0', 'nope', 'd0'])).toEqual({
      removedDocuments: 1,
      removedChunks: 1,
      unknown: ['nope'],
    });
    expect(await index.count()).toEqual({ documents: 19, chunks: 19 });
    expect((await index.search('kiln', { k: 100 })).hits).toHaveLength(19);
  });

  it.each([
    {},
    { filter: {} },
    { filter: { and: [] } },
    { filter: { not: { or: [] } } },
    { filter: { or: [{ n: 1 }, {}] } },
  ])('does not take %j for everything without being told so', async (selection) => {
    const index = await newIndex();
    await index.add(documents(2));
    await expect(index.remove(selection)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    await expect(index.update(selection, { set: { n: 0 } })).rejects.toThrow(/lets every document pass/);
    expect(await index.count()).toEqual({ documents: 2, chunks: 2 });
    expect((await index.remove({ ...selection, all: true })).removedDocuments).toBe(2);
  });

  it.each([undefined, null, 7, ['d0', 7], { ids: ['d0'] }, { filter: { n: 1 }, all: 'yes' }])(
    'refuses %j',
    async (selection) => {
      const index = await newIndex();
      await expect(index.remove(selection as never)).rejects.toMatchObject({ code: 'SLUICE_USAGE' });
    },
  );
});
