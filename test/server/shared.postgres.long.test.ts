import { describe } from 'vitest';
import { programs } from '../support/postgres.js';
import { usePostgres } from '../support/test-database.js';

describe.skipIf(programs === undefined)('on PostgreSQL', async () => {
  usePostgres();
  await import('./api-keys.test.js');
  await import('./idempotency.test.js');
  await import('./open-database.test.js');
  await import('./pets.test.js');
  await import('./rate-limits.test.js');
  await import('./request-handler.conformance.test.js');
  await import('./request-handler.test.js');
  await import('./start-server.test.js');
});
