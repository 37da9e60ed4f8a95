import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder of the running test's own; it is gone with everything in it when the test ends. */
export async function makeFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'petstore-test-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
