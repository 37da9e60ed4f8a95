import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a folder that is removed after the test. */
export async function makeFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'petstore-test-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
