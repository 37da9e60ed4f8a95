import { expect } from 'vitest';
import type { Run } from './petstore.js';

/** Prints a run of the binary as stdout, stderr and exit code. */
expect.addSnapshotSerializer({
  test: (value: unknown) => {
    const run = value as Partial<Run> | null;
    return typeof run?.stdout === 'string' && typeof run.stderr === 'string' && 'exitCode' in run;
  },
  print: (value) => {
    const { stdout, stderr, exitCode } = value as Run;
    return `${stdout}--- stderr\n${stderr}--- exit ${exitCode}`;
  },
});
