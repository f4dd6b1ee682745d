import { describe, expect, it } from 'vitest';
import { checkOpenOptions, storeOptions } from '../src/open-options.js';
import { resolveOptions } from '../src/store/options.js';

describe('options of openIndex', () => {
  it('hand the dials of the graph to the store under its names', () => {
    const options = { readonly: true, graphThreshold: 7, graph: { links: 8, effort: 50, searchEffort: 30 } };
    checkOpenOptions('folder', options);
    const given = storeOptions(options);
    expect(given).toEqual({
      readonly: true,
      graphThreshold: 7,
      graphLinks: 8,
      graphEffort: 50,
      searchEffort: 30,
    });
    expect(resolveOptions(given)).toMatchObject(given);
    expect(storeOptions({})).toEqual({});
    expect(storeOptions({ graph: {} })).toEqual({});
  });

  it.each([
    [{ graph: { links: 1 } }, /graph: links must be a whole number from 2 to 100, got 1/],
    [{ graph: { links: 101 } }, /from 2 to 100/],
    [{ graph: { effort: 0 } }, /graph: effort must be a whole number of 1 or more/],
    [{ graph: { searchEffort: 1.5 } }, /searchEffort/],
    [{ graph: { ef: 5 } }, /graph has no option "ef"; it knows links, effort, searchEffort/],
    [{ graph: 5 }, /options of graph must be an object/],
    [{ moduleTimeoutMs: 0 }, /moduleTimeoutMs must be a whole number from 1 to 2147483647, got 0/],
    [{ moduleTimeoutMs: 2 ** 31 }, /moduleTimeoutMs/],
    [{ threads: 0 }, /threads must be a whole number of 1 or more, got 0/],
  ])('refuse %j', (options, message) => {
    expect(() => checkOpenOptions('folder', options)).toThrow(message);
  });
});
