import { describe } from 'vitest';
import { keepInPostgres } from '../support/place.js';
import { programs } from '../support/postgres.js';

describe.skipIf(programs === undefined)('on PostgreSQL', async () => {
  keepInPostgres();
  await import('./rate-limits.test.js');
  await import('./keys.test.js');
  await import('./handle.conformance.test.js');
});
