import { describe, expect, test } from 'vitest';
import type { Transport } from '../../src/api/http.js';
import { createPet, getPet, listOrders, listPets } from '../../src/api/operations.js';
import { withDeadline } from '../../src/client/middleware.js';
import { TransportError } from '../../src/client/transport-error.js';
import { Failure } from '../../src/failure.js';
import { formatJson } from '../../src/format/json.js';
import { answer, answering, clientOver, failureOf } from '../support/client.js';
import { fakeClock } from '../support/clock.js';
import { openStore, type TestStore } from '../support/store.js';

const rex = { name: 'Rex', categoryId: '9223372036854775807', status: 'sold' } as const;

const howToCheck =
  'petstore pets list --all --profile store shows whether it is there; adding it again may add it twice';

describe('against the store', () => {
  test('lists pets, with the page that follows', async () => {
    const { client, requests, oddities } = clientOver(to(await openStore()));
    const { value, hasNext } = await client.call(listPets, { limit: 2 });
    expect(formatJson(value)).toBe(
      '[{"id":1,"name":"Ada","categoryId":1,"status":"available"},{"id":2,"name":"Archie","categoryId":2,"status":"available"}]',
    );
    expect(hasNext).toBe(true);
    expect(requests.map(({ target }) => target)).toEqual(['/v1/pets?limit=2']);
    expect(oddities).toEqual([]);
  });

  test('lists no pets of an empty store', async () => {
    const { client } = clientOver(to(await openStore({ empty: true })));
    expect(await client.call(listPets, {})).toMatchObject({ value: [], hasNext: false });
  });

  test('adds a pet with exact numbers, and gets it', async () => {
    const { client } = clientOver(to(await openStore({ empty: true })));
    const created = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';
    expect(formatJson((await client.call(createPet, rex)).value)).toBe(created);
    expect(formatJson((await client.call(getPet, { petId: '1' })).value)).toBe(created);
  });

  test('lists orders', async () => {
    const { client } = clientOver(to(await openStore()));
    expect(await client.call(listOrders, {})).toEqual({ value: [], hasNext: false });
  });

  test('follows pages to the last, each with the key in its header', async () => {
    const { client, requests } = clientOver(to(await openStore()));
    const sizes: number[] = [];
    for await (const { value } of client.paginate(listPets, { limit: 30 }))
      sizes.push(value.length);
    expect(sizes).toEqual([30, 30, 12]);
    expect(requests.map(({ target }) => target)).toEqual([
      '/v1/pets?limit=30',
      '/v1/pets?limit=30&cursor=MzA',
      '/v1/pets?limit=30&cursor=NjA',
    ]);
    for (const { headers } of requests) expect(headers).toEqual(requests[0]?.headers);
  });

  test('asks for no further page than is taken', async () => {
    const { client, requests } = clientOver(to(await openStore()));
    for await (const _ of client.paginate(listPets, { limit: 1 })) break;
    expect(requests).toHaveLength(1);
  });

  test('says where a rejected key came from', async () => {
    const { client } = clientOver(to(await openStore()), { authorization: 'Bearer pets_wrong' });
    expect(await failureOf(client.call(listPets, {}))).toMatchObject({
      kind: 'auth',
      details: {
        code: 'unauthorized',
        message: 'the API key is missing or not known',
        hint: 'the key came from PETSTORE_API_KEY; petstore auth login stores another',
        status: 401,
      },
    });
  });

  test('tells the limit apart', async () => {
    const clock = fakeClock();
    const store = await openStore({ clock, limits: { perMinute: 1, perDay: 10 } });
    const { client } = clientOver(to(store), { clock });
    await client.call(listPets, {});
    expect(await failureOf(client.call(createPet, rex))).toMatchObject({
      kind: 'rate-limited',
      details: { code: 'rate_limited', status: 429 },
    });
  });

  test.each([
    ['an id that nobody has', { petId: '999' }, 'not-found', 'not_found', 404],
    ['an id that is none', { petId: 'x/y' }, 'rejected', 'invalid_request', 400],
  ])('fails for %s', async (_, input, kind, code, status) => {
    const { client } = clientOver(to(await openStore()));
    const failure = await failureOf(client.call(getPet, input));
    expect(failure).toMatchObject({ kind, details: { code, status } });
  });

  test('names what to use instead of an operation that is gone', async () => {
    const clock = fakeClock(Date.UTC(2030, 11, 5));
    const { client } = clientOver(to(await openStore({ clock })), { clock });
    expect(await failureOf(client.call(getPet, { petId: '1' }))).toMatchObject({
      kind: 'not-found',
      details: {
        code: 'gone',
        hint: 'its end was announced for 2030-12-05; use petstore pets list --status available|pending|sold instead',
        status: 410,
      },
    });
  });

  test('fails with the words of the store for a pet that it refuses', async () => {
    const { client } = clientOver(to(await openStore()));
    expect(await failureOf(client.call(createPet, { ...rex, name: ' ' }))).toMatchObject({
      kind: 'rejected',
      message: 'name must not be blank',
      details: { code: 'invalid_request', status: 400, hint: undefined },
    });
  });
});

describe('against strange answers', () => {
  test('tells of oddities and shows the records all the same', async () => {
    const { client, oddities } = clientOver(answering(answer(200, '[{"id":1.0,"extra":true}]')));
    expect(formatJson((await client.call(listPets, {})).value)).toBe('[{"id":1.0,"extra":true}]');
    expect(oddities).toEqual([
      '1 of 1 answered with no valid id',
      '1 of 1 answered with no valid name',
      '1 of 1 answered with no valid categoryId',
    ]);
  });

  test.each([
    ['an empty body', 200, '', 'is not JSON as the interface has it: it is empty'],
    ['no content', 204, '', 'is not JSON as the interface has it: it is empty'],
    [
      'the page of a portal',
      200,
      '<html>',
      'is not JSON as the interface has it: it is not valid JSON (at offset 0)',
    ],
    ['a record', 200, '{}', 'is not a list of records'],
  ])('a list fails (service) for %s', async (_, status, body, reason) => {
    const { client } = clientOver(answering(answer(status, body)));
    expect(await failureOf(client.call(listPets, {}))).toMatchObject({
      kind: 'service',
      message: `the answer ${reason}`,
      details: {
        code: 'unreadable_answer',
        hint: 'check that the base URL leads to the store, version segment included',
        status,
      },
    });
  });

  test('a list that is cut off is asked for once more', async () => {
    const cutOff = answer(200, '[{"id":1,"name":"R');
    const { client, requests } = clientOver(answering(cutOff, answer(200, '[]')));
    expect((await client.call(listPets, {})).value).toEqual([]);
    expect(requests).toHaveLength(2);
  });

  test('a list that is cut off twice, with a status that is good, fails as the network', async () => {
    const cutOff = answer(200, '[{"id":1,"name":"R');
    const { client, requests } = clientOver(answering(cutOff, cutOff));
    expect(await failureOf(client.call(listPets, {}))).toMatchObject({
      kind: 'network',
      details: { status: 200 },
    });
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['an empty body', '', 'is not JSON as the interface has it: it is empty'],
    ['half a body', '{"id":1', 'is not JSON as the interface has it: it ends too early'],
    ['a list', '[]', 'is not a record'],
  ])(
    'a creation answered 201 with %s is told as done, but its id is not known',
    async (_, body, reason) => {
      const { client } = clientOver(answering(answer(201, body)));
      expect(await failureOf(client.call(createPet, rex))).toMatchObject({
        kind: 'unknown-outcome',
        message: `the answer ${reason}; the pet was added, but its id is not known`,
        details: { code: 'unreadable_answer', hint: howToCheck, status: 201 },
      });
    },
  );

  test('a creation answered 200 with HTML has an outcome that is not known', async () => {
    const { client } = clientOver(answering(answer(200, '<html>')));
    expect(await failureOf(client.call(createPet, rex))).toMatchObject({
      kind: 'unknown-outcome',
      message:
        'the answer is not JSON as the interface has it: it is not valid JSON (at offset 0); whether the pet was added is not known',
      details: { status: 200 },
    });
  });

  test('orders without content are no failure, since their payload is not described', async () => {
    const { client } = clientOver(answering(answer(204)));
    expect((await client.call(listOrders, {})).value).toBeUndefined();
  });

  test('an answer that is compressed is refused', async () => {
    const gzip = answer(200, '\u001f\u008b', { 'content-encoding': 'gzip' });
    expect(await failureOf(clientOver(answering(gzip)).client.call(listPets, {}))).toMatchObject({
      kind: 'service',
      message: 'the answer is compressed, though that was not asked for',
    });
  });

  test('what a transport throws on purpose is handed on as it is', async () => {
    const failure = new Failure('system', { code: 'disk', message: 'the disk is full' });
    const { client } = clientOver(() => Promise.reject(failure));
    expect(await failureOf(client.call(listPets, {}))).toBe(failure);
  });
});

describe('pages', () => {
  test.each([
    ['absolute', '<https://store.example/v1/pets?cursor=x>; rel="next"'],
    ['relative', '<?cursor=x>; rel="next"'],
  ])('follows a link that is %s', async (_, link) => {
    const pages = answering(answer(200, '[{"id":1}]', { link }), answer(200, '[{"id":2}]'));
    const { client, requests } = clientOver(pages);
    const seen: string[] = [];
    for await (const { value } of client.paginate(listPets, {})) seen.push(formatJson(value));
    expect(seen).toEqual(['[{"id":1}]', '[{"id":2}]']);
    expect(requests.map(({ origin, target }) => origin + target)).toEqual([
      'https://store.example/v1/pets',
      'https://store.example/v1/pets?cursor=x',
    ]);
  });

  test('sends nothing to another origin', async () => {
    const link = '<https://evil.example/v1/pets>; rel="next"';
    const { client, requests } = clientOver(answering(answer(200, '[]', { link })));
    const failure = await failureOf(gather(client.paginate(listPets, {})));
    expect(failure).toMatchObject({ kind: 'service', details: { code: 'bad_next_link' } });
    expect(requests).toHaveLength(1);
  });

  test('ends where a link leads back', async () => {
    const there = answer(200, '[]', { link: '</v1/pets?cursor=x>; rel="next"' });
    const back = answer(200, '[]', { link: '</v1/pets>; rel="next"' });
    const { client, requests } = clientOver(answering(there, back));
    const failure = await failureOf(gather(client.paginate(listPets, {})));
    expect(failure.message).toBe('the link to the next page leads back to a page that was read');
    expect(requests).toHaveLength(2);
  });

  test('ends where a page links to itself', async () => {
    const itself = answer(200, '[]', { link: '<>; rel="next"' });
    const { client, requests } = clientOver(answering(itself));
    expect(await failureOf(gather(client.paginate(listPets, {})))).toMatchObject({
      kind: 'service',
    });
    expect(requests).toHaveLength(1);
  });

  test('shows the first page, which is what the hint of a bad link promises', async () => {
    const link = '<https://evil.example/v1/pets>; rel="next"';
    const { client } = clientOver(answering(answer(200, '[{"id":1}]', { link })));
    expect(formatJson((await client.call(listPets, {})).value)).toBe('[{"id":1}]');
  });

  test('a creation never fails for the sake of a link', async () => {
    const link = '<https://evil.example/v1/pets>; rel="next"';
    const { client } = clientOver(answering(answer(201, '{"id":1}', { link })));
    expect(formatJson((await client.call(createPet, rex)).value)).toBe('{"id":1}');
  });
});

describe('without an answer', () => {
  const lost: Transport = async () => {
    const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    throw new TransportError(cause, { sent: true, response: undefined });
  };

  test('a list fails as the network', async () => {
    expect(await failureOf(clientOver(lost).client.call(listPets, {}))).toMatchObject({
      kind: 'network',
      message: 'store.example closed the connection before its answer was whole',
      details: { code: 'connection_lost', hint: 'try again' },
    });
  });

  test('a creation has an outcome that is not known', async () => {
    expect(await failureOf(clientOver(lost).client.call(createPet, rex))).toMatchObject({
      kind: 'unknown-outcome',
      message: 'store.example gave no whole answer; whether the pet was added is not known',
      details: { code: 'no_answer', hint: howToCheck },
    });
  });

  test('a list that is late fails as the network, with the words of the deadline', async () => {
    const clock = fakeClock();
    const { client } = clientOver(
      withDeadline({ leftMs: 5_000, timeoutMs: 5_000, clock })(untilAborted(true)),
      { clock },
    );
    const failure = failureOf(client.call(listPets, {}));
    clock.advance(5_000);
    expect(await failure).toMatchObject({ kind: 'network', details: { code: 'timeout' } });
  });

  test.each([
    [
      'that may have arrived has an outcome that is not known',
      true,
      'unknown-outcome',
      'no_answer',
    ],
    ['that never left fails as the network', false, 'network', 'timeout'],
  ])('a late creation %s', async (_, sent, kind, code) => {
    const clock = fakeClock();
    const { client } = clientOver(
      withDeadline({ leftMs: 5_000, timeoutMs: 5_000, clock })(untilAborted(sent)),
      { clock },
    );
    const failure = failureOf(client.call(createPet, rex));
    clock.advance(5_000);
    expect(await failure).toMatchObject({ kind, details: { code } });
  });

  test.each([
    ['list that was sent', listPets, true, 'interrupted', undefined],
    ['creation that never left', createPet, false, 'interrupted; nothing was sent', undefined],
    [
      'creation that was sent',
      createPet,
      true,
      'interrupted; whether the pet was added is not known',
      howToCheck,
    ],
  ])('a cancelled %s says so', async (_, operation, sent, message, hint) => {
    const controller = new AbortController();
    const { client } = clientOver(untilAborted(sent), { signal: controller.signal });
    const failure = failureOf(client.call(operation as typeof createPet, rex));
    controller.abort(
      new Failure('canceled', { code: 'interrupted', message: 'interrupted', signal: 'SIGTERM' }),
    );
    const { kind, details } = await failure;
    expect(kind).toBe('canceled');
    expect(details).toEqual({ code: 'interrupted', message, signal: 'SIGTERM', hint });
  });
});

function to(store: TestStore): Transport {
  return (request) => store.handle(request, '127.0.0.1');
}

/** Never answers; once aborted, fails as the real transport does. */
function untilAborted(sent: boolean): Transport {
  return (_, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () =>
        reject(new TransportError(signal.reason as Error, { sent, response: undefined })),
      );
    });
}

async function gather(pages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pages);
}
