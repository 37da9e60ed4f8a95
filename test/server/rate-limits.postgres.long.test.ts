import { describe } from 'vitest';
import { keepInPostgres } from '../support/place.js';
import { programs } from '../support/postgres.js';

describe.skipIf(programs === undefined)('on PostgreSQL', async () => {
  keepInPostgres();
  await import('./rate-limits.test.js');
  await import('./api-keys.test.js');
  await import('./request-handler.conformance.test.js');
});
