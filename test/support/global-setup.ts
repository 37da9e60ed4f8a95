import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { endCluster } from './postgres.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the PostgreSQL of this test run, which the first test that needs it starts. */
    postgres: string;
    /** Folder of the code cache that all petstore processes of this test run share. */
    codeCache: string;
  }
}

/**
 * Creates the folders that the test files of a run share, and removes them at the end. Without a shared code cache, most
 * processes would compile petstore again, because each test has its own home directory.
 */
export default async function shareFolders({ provide }: TestProject): Promise<() => Promise<void>> {
  const [postgres, codeCache] = await Promise.all(
    ['postgres', 'code-cache'].map((name) => mkdtemp(join(tmpdir(), `petstore-${name}-`))),
  );
  provide('postgres', postgres as string);
  provide('codeCache', codeCache as string);
  return async () => {
    await endCluster(postgres as string);
    await rm(codeCache as string, { recursive: true, force: true, maxRetries: 10 });
  };
}
