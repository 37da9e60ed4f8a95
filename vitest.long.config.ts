import { defineConfig } from 'vitest/config';

/** What takes too long for every change: hundreds of processes. */
export default defineConfig({
  test: {
    include: ['test/**/*.long.test.ts'],
    setupFiles: ['test/support/snapshots.ts'],
    testTimeout: 120_000,
  },
});
