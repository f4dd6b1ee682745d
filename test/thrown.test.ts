import { expect, it } from 'vitest';
import { SluiceError, toErrorRecord, toSluiceError } from '../src/errors.js';

const spiteful = {
  toString(): string {
    throw new Error('no');
  },
};

it.each([
  [new Error('a fault'), 'a fault'],
  ['a word', 'a word'],
  [undefined, 'undefined'],
  [spiteful, 'it threw something that has no message'],
  [
    Object.defineProperty(new Error(), 'message', { get: spiteful.toString }),
    'it threw something that has no message',
  ],
])('makes a record of anything thrown (%#)', (thrown, message) => {
  expect(toErrorRecord(thrown)).toEqual({ code: 'SLUICE_INTERNAL', message, details: {} });
  expect(toSluiceError(thrown, 'SLUICE_MODULE_INVALID', 'the chunker failed')).toMatchObject({
    code: 'SLUICE_MODULE_INVALID',
    message: `the chunker failed: ${message}`,
    cause: thrown,
  });
});

it('leaves errors of its own as they are', () => {
  const error = new SluiceError('SLUICE_USAGE', 'wrong', { details: { at: 1 } });
  expect(toSluiceError(error, 'SLUICE_INTERNAL', 'x')).toBe(error);
  expect(toErrorRecord(error)).toEqual({ code: 'SLUICE_USAGE', message: 'wrong', details: { at: 1 } });
});
