import { describe } from 'vitest';
import { keepInPostgres } from '../support/place.js';
import { programs } from '../support/postgres.js';

describe.skipIf(programs === undefined)('on PostgreSQL', async () => {
  keepInPostgres();
  await import('./request-handler.test.js');
  await import('./pets.test.js');
  await import('./sample-pets.test.js');
});
