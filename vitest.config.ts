import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { apiSpecAsJson, textFiles } from './rolldown.config.js';

/** Starts the files that run the built binary first. They take longest, and must not keep one worker busy at the end. */
class BinaryFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const runsBinary = ({ moduleId }: TestSpecification) => /\/test\/(journeys|docs-output|examples)\b/.test(moduleId);
    return [...sorted.filter(runsBinary), ...sorted.filter((file) => !runsBinary(file))];
  }
}

export default defineConfig({
  plugins: [apiSpecAsJson as never, textFiles as never],
  test: {
    include: ['test/**/*.test.ts'],
    // Coverage includes the long tests of the server, since the others do not run PostgreSQL.
    exclude: [`test/${process.argv.includes('--coverage') ? '{,!(server)/**/}' : '**/'}*.long.test.ts`],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/snapshots.ts'],
    // Long enough for a busy machine: tests check results, and a time limit only ends a test that hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine may need longer than the default of one second.
    expect: { poll: { timeout: 30_000 } },
    // Test files in one worker share loaded modules, which halves the processor time of a run. A test must
    // restore what it changes in the process. Threads cannot be used, because they share V8 flags, which a test changes.
    isolate: false,
    sequence: { sequencer: BinaryFirst },
    // Tests mostly wait for sockets and processes, so two more workers keep every core busy.
    maxWorkers: availableParallelism() + 2,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html'],
      thresholds: { lines: 95 },
    },
  },
});
