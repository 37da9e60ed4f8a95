import { describe } from 'vitest';
import { keepInPostgres } from '../support/place.js';
import { programs } from '../support/postgres.js';

describe.skipIf(programs === undefined)('on PostgreSQL', async () => {
  keepInPostgres();
  await import('./open-database.test.js');
  await import('./start-server.test.js');
});
