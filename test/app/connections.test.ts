import { expect, test } from 'vitest';
import { openConnections } from '../../src/app/connections.js';
import type { AppContext } from '../../src/app/context.js';
import { Failure } from '../../src/failure.js';

const canceled = new Failure('canceled', { code: 'cancelled', message: 'canceled' });

/** Returns the connections of a command that a signal has canceled. */
function newConnections() {
  return openConnections({ signal: AbortSignal.abort(canceled), settings: {} } as AppContext);
}

test('a signal does not fail a command that sent no request', async () => {
  const { throwIfAborted, getReportedQuota } = newConnections();
  expect(throwIfAborted()).toBeUndefined();
  expect(await getReportedQuota()).toBeUndefined();
});
