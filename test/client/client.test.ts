import { describe, expect, test } from 'vitest';
import { createPet, getPet, listOrders, listPets } from '../../src/api/operations.js';
import type { Transport } from '../../src/api/outcome.js';
import { completeOutcome, lostOutcome } from '../../src/client/outcome.js';
import { withDeadline } from '../../src/client/with-deadline.js';
import { Failure } from '../../src/failure.js';
import { formatJson } from '../../src/format/json.js';
import { fakeClock } from '../support/clock.js';
import { createTestClient, failureOf, hintOf, newResponse, respondWith } from '../support/test-client.js';
import { openStore, type TestStore } from '../support/test-server.js';

const rex = { name: 'Rex', categoryId: '9223372036854775807', status: 'sold' } as const;

const checkHint = 'run petstore pets list --all --profile store to look for the pet before you add it again';

describe('against the server', () => {
  test('lists pets and reports a next page', async () => {
    const { client, requests, warnings } = createTestClient(to(await openStore()));
    const { value, hasNext } = await client.call(listPets, { limit: 2 });
    expect(formatJson(value)).toBe(
      '[{"id":1,"name":"Ada","categoryId":1,"status":"available"},{"id":2,"name":"Archie","categoryId":2,"status":"available"}]',
    );
    expect(hasNext).toBe(true);
    expect(requests.map(({ target }) => target)).toEqual(['/v1/pets?limit=2']);
    expect(warnings).toEqual([]);
  });

  test('adds and gets a pet with exact numbers', async () => {
    const { client } = createTestClient(to(await openStore({ empty: true })));
    const created = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';
    expect(formatJson((await client.call(createPet, rex)).value)).toBe(created);
    expect(formatJson((await client.call(getPet, { petId: '1' })).value)).toBe(created);
  });

  test('lists orders', async () => {
    const { client } = createTestClient(to(await openStore()));
    expect(await client.call(listOrders, {})).toMatchObject({ value: [], hasNext: false });
  });

  test('paginates to the last page with the API key in each request', async () => {
    const { client, requests } = createTestClient(to(await openStore()));
    const sizes: number[] = [];
    for await (const { value } of client.paginate(listPets, { limit: 30 })) sizes.push(value.length);
    expect(sizes).toEqual([30, 30, 12]);
    expect(requests.map(({ target }) => target)).toEqual([
      '/v1/pets?limit=30',
      '/v1/pets?limit=30&cursor=MzA',
      '/v1/pets?limit=30&cursor=NjA',
    ]);
    for (const { headers } of requests) expect(headers).toEqual(requests[0]?.headers);
  });

  test('requests only pages that are consumed', async () => {
    const { client, requests } = createTestClient(to(await openStore()));
    for await (const _ of client.paginate(listPets, { limit: 1 })) break;
    expect(requests).toHaveLength(1);
  });

  test('names the origin of a rejected API key', async () => {
    const { client } = createTestClient(to(await openStore()), {
      authorization: 'Bearer pets_wrong',
    });
    const failure = await failureOf(client.call(listPets, {}));
    expect(failure).toMatchObject({
      kind: 'auth',
      details: { code: 'unauthorized', message: 'the API key is missing or invalid (HTTP 401)', status: 401 },
    });
    expect(hintOf(failure)).toBe(
      'check PETSTORE_API_KEY, or unset it and run petstore auth login --profile store to save another API key',
    );
  });

  test('names the replacement of a removed operation', async () => {
    const clock = fakeClock(Date.UTC(2030, 11, 5));
    const { client } = createTestClient(to(await openStore({ clock })), { clock });
    const failure = await failureOf(client.call(getPet, { petId: '1' }));
    expect(failure).toMatchObject({ kind: 'not-found', details: { code: 'gone', status: 410 } });
    expect(hintOf(failure)).toBe('run petstore pets list --all --profile store instead');
  });
});

describe('against invalid responses', () => {
  test('warns of schema violations and returns the records', async () => {
    const { client, warnings } = createTestClient(respondWith(newResponse(200, '[{"id":1.0,"extra":true}]')));
    expect(formatJson((await client.call(listPets, {})).value)).toBe('[{"id":1.0,"extra":true}]');
    expect(warnings).toEqual([
      'the response has no valid id in 1 of 1 records',
      'the response has no valid name in 1 of 1 records',
      'the response has no valid categoryId in 1 of 1 records',
    ]);
  });

  test('fails as a network error for a truncated list', async () => {
    const { client } = createTestClient(respondWith(newResponse(200, '[{"id":1,"name":"R')));
    expect(await failureOf(client.call(listPets, {}))).toMatchObject({ kind: 'network', details: { status: 200 } });
  });

  test('leaves the outcome of a create unknown after 200 with HTML', async () => {
    const { client } = createTestClient(respondWith(newResponse(200, '<html>')));
    expect(await failureOf(client.call(createPet, rex))).toMatchObject({
      kind: 'unknown-outcome',
      message:
        'the response from store.example cannot be read as JSON: syntax error at offset 0 (HTTP 200); it is unknown whether the pet was added',
      details: { status: 200 },
    });
  });

  test('accepts orders without content', async () => {
    const { client } = createTestClient(respondWith(newResponse(204)));
    expect((await client.call(listOrders, {})).value).toBeUndefined();
  });

  test('passes on a failure of the transport', async () => {
    const failure = new Failure('system', { code: 'cannot_write', message: 'the disk is full' });
    const { client } = createTestClient(() => Promise.reject(failure));
    expect(await failureOf(client.call(listPets, {}))).toBe(failure);
  });
});

describe('without a response', () => {
  const lost: Transport = async (request) =>
    lostOutcome(request, { kind: 'network', code: 'ECONNRESET' }, { sent: true });

  test('leaves the outcome of a create unknown', async () => {
    const failure = await failureOf(createTestClient(lost).client.call(createPet, rex));
    expect(failure).toMatchObject({
      kind: 'unknown-outcome',
      message:
        'store.example closed the connection before the response was complete; it is unknown whether the pet was added',
      details: { code: 'outcome_unknown' },
    });
    expect(hintOf(failure)).toBe(checkHint);
  });

  test.each([
    ['leaves the outcome of a sent create unknown', true, 'unknown-outcome', 'outcome_unknown'],
    ['reports a timeout for a create that was not sent', false, 'network', 'timeout'],
  ])('%s after the deadline', async (_, sent, kind, code) => {
    const clock = fakeClock();
    const { client } = createTestClient(withDeadline({ timeoutMs: 5_000, clock })(untilAborted(sent)), {
      clock,
    });
    const failure = failureOf(client.call(createPet, rex));
    clock.advance(5_000);
    expect(await failure).toMatchObject({ kind, details: { code } });
  });

  test.each([
    ['sent list', listPets, true, 'interrupted', undefined],
    ['create that was not sent', createPet, false, 'interrupted; nothing was sent', undefined],
    ['sent create', createPet, true, 'interrupted; it is unknown whether the pet was added', checkHint],
  ])('describes a canceled %s', async (_, operation, sent, message, hint) => {
    const controller = new AbortController();
    const { client } = createTestClient(untilAborted(sent), { signal: controller.signal });
    const failure = failureOf(client.call(operation as typeof createPet, rex));
    controller.abort(new Failure('canceled', { code: 'cancelled', message: 'interrupted', signal: 'SIGTERM' }));
    const { kind, message: actual, details } = await failure;
    expect([kind, actual, hintOf({ details })]).toEqual(['canceled', message, hint]);
    const effect = sent ? 'unknown' : 'none';
    expect(details).toMatchObject({ code: 'cancelled', signal: 'SIGTERM', ...(operation === createPet && { effect }) });
  });
});

function to(store: TestStore): Transport {
  return async (request) => completeOutcome(request, await store.handle(request, '127.0.0.1'));
}

/** Never responds; once aborted, ends as the real transport does. */
function untilAborted(sent: boolean): Transport {
  return (request, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(lostOutcome(request, { kind: 'canceled' }, { sent })));
    });
}
