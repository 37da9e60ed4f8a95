import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the code cache that all petstore processes of this test run share. */
    codeCache?: string;
  }
}

/**
 * Creates a folder for the code cache of this test run and removes it at the end. Without it, most processes would
 * compile petstore again, because each test has its own home directory.
 */
export default async function shareCodeCache({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-code-cache-'));
  provide('codeCache', folder);
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
