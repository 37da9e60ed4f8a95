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
    // Test files in one worker share loaded modules, which halves the processor time of a run. A test must
    // restore what it changes in the process. Not threads: they share V8 flags, which a test changes.
    isolate: false,
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
