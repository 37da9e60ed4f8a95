import { defineConfig } from 'vitest/config';
import { apiSpecAsJson, textFiles } from './rolldown.config.js';

/** Tests that take too long for every change, such as those with hundreds of processes. */
export default defineConfig({
  plugins: [apiSpecAsJson as never, textFiles as never],
  test: {
    include: ['test/**/*.long.test.ts'],
    globalSetup: ['test/support/postgres-run.ts'],
    setupFiles: ['test/support/snapshots.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A busy machine may need longer than the default of one second.
    expect: { poll: { timeout: 30_000 } },
  },
});
