import { describe } from 'vitest';
import { programs } from '../support/postgres.js';
import { usePostgres } from '../support/test-database.js';

describe.skipIf(programs === undefined)('on PostgreSQL', async () => {
  usePostgres();
  await import('./request-handler.test.js');
  await import('./pets.test.js');
  await import('./sample-pets.test.js');
});
