import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { describedInJson } from './rolldown.config.js';

export default defineConfig({
  plugins: [describedInJson as never],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.long.test.ts'],
    globalSetup: ['test/support/postgres-run.ts'],
    setupFiles: ['test/support/snapshots.ts'],
    testTimeout: 20_000,
    // Much of a test is waiting for sockets and processes, so that every core has work.
    maxWorkers: availableParallelism() + 1,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html'],
      thresholds: { lines: 90 },
    },
  },
});
