import { describe } from 'vitest';
import { programs } from '../support/postgres.js';
import { usePostgres } from '../support/test-database.js';

describe.skipIf(programs === undefined)('on PostgreSQL', async () => {
  usePostgres();
  await import('./open-database.test.js');
  await import('./start-server.test.js');
});
