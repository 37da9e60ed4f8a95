import { defineConfig } from 'vitest/config';
import { describedInJson } from './rolldown.config.js';

/** What takes too long for every change: hundreds of processes. */
export default defineConfig({
  plugins: [describedInJson as never],
  test: {
    include: ['test/**/*.long.test.ts'],
    globalSetup: ['test/support/postgres-run.ts'],
    setupFiles: ['test/support/snapshots.ts'],
    testTimeout: 120_000,
  },
});
