import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { endCluster } from './postgres.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the PostgreSQL of this test run, which the first test that needs it starts. */
    postgres: string;
  }
}

/** Creates a folder for the PostgreSQL of this test run and removes it at the end. */
export default async function keepPostgres({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-postgres-'));
  provide('postgres', folder);
  return () => endCluster(folder);
}
