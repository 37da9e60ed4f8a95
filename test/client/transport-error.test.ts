import { expect, test } from 'vitest';
import { TransportError } from '../../src/client/transport-error.js';

test('a transport error has the code of its cause', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  expect(new TransportError(cause, { sent: false, response: undefined })).toMatchObject({
    name: 'TransportError',
    message: 'connect ECONNREFUSED',
    code: 'ECONNREFUSED',
    sent: false,
    response: undefined,
    cause,
  });
});

test('a transport error has the name of a cause without a code', () => {
  const response = { status: 201, headers: {} };
  const error = new TransportError(new RangeError('x'), { sent: true, response });
  expect(error).toMatchObject({ code: 'RangeError', sent: true, response });
});
