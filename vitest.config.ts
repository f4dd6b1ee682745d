import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real models and real processes: a test may load ONNX Runtime, start workers or spawn the command.
    // The limit is for what hangs, not for what is slow on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Native addons and Piscina want real processes, and two cores cannot serve more at once.
    pool: 'forks',
    maxWorkers: 2,
  },
});
