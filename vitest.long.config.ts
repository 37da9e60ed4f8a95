import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { apiSpecAsJson, textFiles } from './rolldown.config.js';

/** Starts the files that take minutes first, so that they do not keep one worker busy at the end. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) => /\/(creates|standalone|nodes|import|serve-)/.test(moduleId);
    return [...files.filter(isSlow), ...files.filter((file) => !isSlow(file))];
  }
}

/** Tests that take too long for every change, such as those with hundreds of processes. */
export default defineConfig({
  plugins: [apiSpecAsJson as never, textFiles as never],
  test: {
    include: ['test/**/*.long.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/snapshots.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A busy machine may need longer than the default of one second.
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: SlowestFirst },
    // Files wait for servers, limits and stalls. More workers than cores would make servers exceed their timeouts.
    maxWorkers: availableParallelism(),
  },
});
