import { describe } from 'vitest';
import { programs } from '../support/postgres.js';
import { usePostgres } from '../support/test-database.js';

describe.skipIf(programs === undefined)('on PostgreSQL', async () => {
  usePostgres();
  await import('./rate-limits.test.js');
  await import('./api-keys.test.js');
  await import('./change-api-keys.test.js');
  await import('./list-api-keys.test.js');
  await import('./migrations.test.js');
  await import('./request-handler.conformance.test.js');
});
