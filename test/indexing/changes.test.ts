import { describe, expect, it } from 'vitest';
import { Changes } from '../../src/indexing/changes.js';

const QUIET_MS = 40;
const never = () => new AbortController().signal;

describe('Changes', () => {
  it('settle once after a burst, and are forgotten', async () => {
    const changes = new Changes(QUIET_MS);
    for (let i = 0; i < 5; i++) changes.note();
    const from = performance.now();
    expect(await changes.settled(never())).toBe(true);
    expect(performance.now() - from).toBeGreaterThanOrEqual(QUIET_MS - 2);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 2 * QUIET_MS);
    expect(await changes.settled(controller.signal)).toBe(false);
  });

  it('are waited for, and each one puts the end off', async () => {
    const changes = new Changes(QUIET_MS);
    const from = performance.now();
    for (const ms of [20, 40, 60]) setTimeout(() => changes.note(), ms);
    expect(await changes.settled(never())).toBe(true);
    expect(performance.now() - from).toBeGreaterThanOrEqual(60 + QUIET_MS - 2);
  });

  it('settle even where they never end', async () => {
    const changes = new Changes(QUIET_MS);
    const timer = setInterval(() => changes.note(), 5);
    changes.note();
    const from = performance.now();
    expect(await changes.settled(never())).toBe(true);
    expect(performance.now() - from).toBeGreaterThanOrEqual(9 * QUIET_MS);
    clearInterval(timer);
  });

  it('end at once when the signal has fired', async () => {
    const changes = new Changes(QUIET_MS);
    changes.note();
    expect(await changes.settled(AbortSignal.abort())).toBe(false);
  });
});
