import { expect, test } from 'vitest';
import { toDatabaseFailure } from '../../src/app/database-failure.js';
import { DatabaseError } from '../../src/server/sql.js';

test('an error about the certificate of PostgreSQL names the option of the URL', () => {
  expect(toDatabaseFailure(new DatabaseError('untrusted', 'a message'))).toMatchObject({
    message: 'a message',
    details: { code: 'database_refused', hint: expect.stringContaining('set sslrootcert=<file> in the URL') },
  });
});
