import { expect, test } from 'vitest';
import { openConnections } from '../../src/app/connections.js';
import type { AppContext } from '../../src/app/context.js';
import { Failure } from '../../src/failure.js';

const canceled = new Failure('canceled', { code: 'cancelled', message: 'canceled' });

/** Returns the connections of a command that a signal has canceled. */
function newConnections(settings: Partial<AppContext['settings']> = {}) {
  const context = { signal: AbortSignal.abort(canceled), settings };
  return openConnections(context as AppContext);
}

test('a signal does not fail a command that sent no request', async () => {
  const { throwIfAborted, getReportedQuota } = newConnections();
  expect(throwIfAborted()).toBeUndefined();
  expect(await getReportedQuota()).toBeUndefined();
});

test('--curl rejects an import before the target is resolved', async () => {
  const { open } = newConnections({ curl: true });
  await expect(open({ isImport: true })).rejects.toMatchObject({
    kind: 'usage',
    message: 'an import sends many requests, but --curl prints only one',
  });
});
