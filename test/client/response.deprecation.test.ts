import { expect, test } from 'vitest';
import { getPet, getPetDeprecation, listPets } from '../../src/api/operations.js';
import { createClient } from '../../src/client/client.js';
import { completeOutcome } from '../../src/client/outcome.js';
import { formatDeprecationNotice } from '../../src/client/response.js';
import { fakeClock } from '../support/clock.js';

const now = Date.UTC(2026, 10, 21);
const sunset = 'Thu, 05 Dec 2030 00:00:00 GMT';

test.each([
  [{}, undefined],
  [{ deprecation: '@1767225600' }, 'the service has deprecated this operation'],
  [{ deprecation: '@1893456000' }, 'the service will deprecate this operation on 2030-01-01'],
  [{ sunset }, 'the service has deprecated this operation and will remove it on 2030-12-05'],
  [
    { deprecation: '@1767225600', sunset: 'Sun, 22 Nov 2026 00:00:00 GMT' },
    'the service has deprecated this operation and will remove it on 2026-11-22',
  ],
  [
    { sunset: 'Fri, 20 Nov 2026 00:00:00 GMT' },
    'the service has deprecated this operation and announced its removal for 2026-11-20',
  ],
  [{ deprecation: 'true', sunset: 'tomorrow' }, undefined],
  [{ deprecation: '@99999999999999', sunset: '2030-12-05' }, undefined],
])('describes %j as %s', (headers, notice) => {
  expect(formatDeprecationNotice(headers, { now })).toBe(notice);
});

function clientWith(headers: Record<string, string>) {
  const warnings: string[] = [];
  const client = createClient({
    endpoint: { origin: 'http://x', basePath: '/v1', authorization: 'Bearer k', userAgent: 'u' },
    open: () => async (request) => {
      const text = request.target.includes('/pets/') ? '{"id":1,"name":"A","categoryId":1}' : '[]';
      return completeOutcome(request, { status: 200, headers, body: new TextEncoder().encode(text) });
    },
    clock: fakeClock(),
    signal: new AbortController().signal,
    keySource: 'a test',
    idempotency: { createKey: () => 'k1', findSupport: async () => undefined },
    serviceFlags: [],
    onWarning: (text) => warnings.push(text),
  });
  return { client, warnings };
}

test('a deprecation is reported once per run', async () => {
  const { client, warnings } = clientWith({ sunset });
  await client.call(listPets, {});
  await client.call(listPets, {});
  await client.sendRaw({ method: 'GET', target: '/v1/pets', headers: {} });
  expect(warnings).toHaveLength(1);
});

test('a removal date that the command reports itself is not repeated', async () => {
  const { client, warnings } = clientWith({
    sunset: new Date(getPetDeprecation.removalAt).toUTCString(),
  });
  await client.call(getPet, { petId: '1' });
  expect(warnings).toEqual([]);
  const moved = clientWith({ sunset: 'Thu, 06 Dec 2029 00:00:00 GMT' });
  await moved.client.call(getPet, { petId: '1' });
  expect(moved.warnings).toHaveLength(1);
});
