import { assert, asyncProperty, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findLink } from '../../src/api/http.js';
import { isBlankName } from '../../src/api/pet.js';
import { formatExactNumber } from '../../src/format/json.js';
import { sql } from '../support/test-database.js';
import { countPets, openStore, requestOnce, type TestStore } from '../support/test-server.js';

const largest = '9223372036854775807';
const smallest = '-9223372036854775808';

describe('listing pets', () => {
  test('returns the first 20 pets by ascending id without a limit', async () => {
    const store = await openStore();
    const response = await store.request('GET', '/v1/pets');
    expect(response.status).toBe(200);
    expect(idsOf(response.json)).toEqual(numbers(1, 20));
  });

  test.each([1, 2, 99, 100])('accepts a limit of %i', async (limit) => {
    const store = await openStore();
    await addPets(store, 101 - (await countPets(store.database)));
    const response = await store.request('GET', `/v1/pets?limit=${limit}`);
    expect(idsOf(response.json)).toEqual(numbers(1, limit));
  });

  test.each(
    `limit=0 limit=101 limit=-1 limit=1.5 limit=1e1 limit= limit limit=abc limit=%2B5
    limit=+5 limit=5%20 limit=0x10 limit=5? limit=99999999999999999999 limit=5&limit=5`.split(/\s+/),
  )('rejects %s and names the parameter', async (query) => {
    const response = await requestOnce('GET', `/v1/pets?${query}`);
    expectInvalid(response, expect.stringMatching(/^limit must /));
  });

  test.each(['available', 'pending', 'sold'])('returns only pets that are %s', async (status) => {
    const response = await requestOnce('GET', `/v1/pets?limit=100&status=${status}`);
    const statuses = (response.json as { status: string }[]).map((pet) => pet.status);
    expect(new Set(statuses)).toEqual(new Set([status]));
  });

  test.each(
    `status=lost status=Sold status= status status=sold%20 status=%FF status=sold&status=sold
    status=sold&status=pending`.split(/\s+/),
  )('rejects %s and names the parameter', async (query) => {
    const response = await requestOnce('GET', `/v1/pets?${query}`);
    expectInvalid(response, expect.stringMatching(/^status must /));
  });
});

describe('paging', () => {
  test('links to the next page at the same path', async () => {
    const response = await requestOnce('GET', '/v1/pets?limit=2&status=sold');
    expect(response.headers.link).toMatch(/^<\/v1\/pets\?limit=2&status=sold&cursor=[A-Za-z0-9_-]+>; rel="next"$/);
  });

  test.each(['', '&status=sold', '&status=available'])(
    'returns every pet once with the query limit=7%s',
    async (filter) => {
      const store = await openStore();
      const whole = await store.request('GET', `/v1/pets?limit=100${filter}`);
      expect(await walk(store, `/v1/pets?limit=7${filter}`)).toEqual(idsOf(whole.json));
    },
  );

  test('returns pets that are added between two pages', async () => {
    const store = await openStore({ empty: true });
    await addPets(store, 5);
    const between = () => addPets(store, 1);
    expect(await walk(store, '/v1/pets?limit=2', between, 4)).toEqual(numbers(1, 8));
  });

  test('continues after a pet that was deleted in the meantime', async () => {
    const store = await openStore({ empty: true });
    await addPets(store, 4);
    const first = await store.request('GET', '/v1/pets?limit=2');
    await store.database.write(sql`DELETE FROM pets WHERE id = 2`);
    const second = await store.request('GET', nextOf(first) as string);
    expect(idsOf(second.json)).toEqual(['3', '4']);
  });

  test('returns ids beyond the range of exact JavaScript numbers', async () => {
    const store = await openStore({ empty: true });
    const ids = ['9007199254740992', '9007199254740993', '9223372036854775806', largest];
    for (const id of ids) await insert(store, id);
    expect(await walk(store, '/v1/pets?limit=1')).toEqual(ids);
  });

  test.each([
    ['empty', 'cursor='],
    ['words', 'cursor=next'],
    ['a plain id', 'cursor=20'],
    ['an id with a leading zero', `cursor=${encoded('01')}`],
    ['an id of more than 64 bits', `cursor=${encoded('9223372036854775808')}`],
    ['with padding', `cursor=${encoded('1')}==`],
    ['with an invalid character', `cursor=${encoded('20').slice(0, 2)}!${encoded('20').slice(2)}`],
    ['with characters beyond Latin', 'cursor=%F0%9F%90%88'],
    ['given twice', `cursor=${encoded('1')}&cursor=${encoded('1')}`],
  ])('rejects a cursor: %s', async (_, query) => {
    const response = await requestOnce('GET', `/v1/pets?${query}`);
    expectInvalid(response, expect.stringMatching(/^cursor /));
  });
});

describe('adding a pet', () => {
  test('returns 201 with the pet and its id', async () => {
    const store = await openStore({ empty: true });
    const body = { name: 'Rex', categoryId: 7, status: 'pending' };
    const response = await store.request('POST', '/v1/pets', { body });
    expect(response.status).toBe(201);
    expect(textOf(response.body)).toBe('{"id":1,"name":"Rex","categoryId":7,"status":"pending"}');
  });

  test('assigns ascending ids and reuses none', async () => {
    const store = await openStore({ empty: true });
    await addPets(store, 2);
    await store.database.write(sql`DELETE FROM pets WHERE id = 2`);
    const response = await store.request('POST', '/v1/pets', { body: pet() });
    expect(idsOf([response.json])).toEqual(['3']);
  });

  test('ignores an id and unknown fields in the body', async () => {
    const store = await openStore({ empty: true });
    const body = { id: 99, ...pet(), colour: 'red' };
    const response = await store.request('POST', '/v1/pets', { body });
    expect(textOf(response.body)).toBe('{"id":1,"name":"Rex","categoryId":1}');
  });

  test.each([
    ['a name of 200 letters', 'a'.repeat(200)],
    ['a name of 200 emoji', '🐈'.repeat(200)],
    ['white space around a name', '  Rex '],
    ['a name with an escape sequence', '\u001b[2J'],
    ['a name that looks like SQL', `Robert'); DROP TABLE pets;--`],
    ['a name with quotes and backslashes', String.raw`"\u0000"`],
  ])('stores %s exactly', async (_, name) => {
    const store = await openStore({ empty: true });
    const added = await store.request('POST', '/v1/pets', { body: { name, categoryId: 1 } });
    expect(added.status).toBe(201);
    expect(added.json).toMatchObject({ name });
    const fetched = await store.request('GET', '/v1/pets/1');
    expect(fetched.json).toMatchObject({ name });
  });

  test('stores every valid name exactly', async () => {
    const store = await openStore({ empty: true });
    const names = string({ unit: 'binary', maxLength: 200 });
    await assert(
      asyncProperty(names, async (name) => {
        const added = await store.request('POST', '/v1/pets', { body: { name, categoryId: 1 } });
        if (added.status === 400) {
          expect(isBlankName(name) || name.includes('\0')).toBe(true);
          return;
        }
        const [id] = idsOf([added.json]);
        const fetched = await store.request('GET', `/v1/pets/${id}`);
        expect(fetched.json).toMatchObject({ name });
      }),
    );
  });

  test.each([
    ['no name', '{"categoryId":1}', 'name is required'],
    ['an empty name', '{"name":"","categoryId":1}', 'name must not be blank'],
    ['a name of spaces', String.raw`{"name":" \t\u00a0","categoryId":1}`, 'name must not be blank'],
    ['a name that is a number', '{"name":1,"categoryId":1}', 'name must be a string'],
    [
      'a name of 201 emoji',
      JSON.stringify({ name: '🐈'.repeat(201), categoryId: 1 }),
      'name must not exceed 200 characters',
    ],
    [
      'a name with NUL',
      String.raw`{"name":"a\u0000b","categoryId":1}`,
      'name must not contain NUL or a lone surrogate',
    ],
    [
      'a name with the first half of a pair',
      String.raw`{"name":"a\ud83d","categoryId":1}`,
      'name must not contain NUL or a lone surrogate',
    ],
    ['no categoryId', '{"name":"Rex"}', 'categoryId is required'],
    ['an unknown status', '{"name":"Rex","categoryId":1,"status":"lost"}', statusMessage()],
    ['a status that is null', '{"name":"Rex","categoryId":1,"status":null}', statusMessage()],
    ['fields in __proto__', '{"__proto__":{"name":"Rex","categoryId":1}}', 'name is required'],
    ['a list', '[]', 'the body must be a JSON object'],
    ['null', 'null', 'the body must be a JSON object'],
  ])('rejects %s', async (_, body, message) => {
    const store = await openStore({ empty: true });
    const response = await store.request('POST', '/v1/pets', { body });
    expectInvalid(response, message);
    expect(await countPets(store.database)).toBe(0);
  });

  test.each(['0', '-1', '1', largest, smallest, '9007199254740993', '-9007199254740993'])(
    'returns the categoryId %s exactly',
    async (categoryId) => {
      const store = await openStore({ empty: true });
      const body = `{"name":"Rex","categoryId":${categoryId}}`;
      const added = await store.request('POST', '/v1/pets', { body });
      const record = `{"id":1,"name":"Rex","categoryId":${categoryId}}`;
      expect(textOf(added.body)).toBe(record);
      expect(textOf((await store.request('GET', '/v1/pets/1')).body)).toBe(record);
      expect(textOf((await store.request('GET', '/v1/pets')).body)).toBe(`[${record}]`);
    },
  );

  test.each('1.0 1.5 1e3 1E0 -0 "1" null true [1] {} 9223372036854775808 -9223372036854775809 1e400'.split(' '))(
    'rejects the categoryId %s',
    async (categoryId) => {
      const store = await openStore({ empty: true });
      const body = `{"name":"Rex","categoryId":${categoryId}}`;
      const response = await store.request('POST', '/v1/pets', { body });
      expectInvalid(response, 'categoryId must be a 64-bit integer');
      expect(await countPets(store.database)).toBe(0);
    },
  );
});

describe('fetching a pet by its id', () => {
  test.each(['9007199254740993', largest])('finds the id %s exactly', async (id) => {
    const store = await openStore({ empty: true });
    await insert(store, id);
    const response = await store.request('GET', `/v1/pets/${id}`);
    expect(textOf(response.body)).toBe(`{"id":${id},"name":"Rex","categoryId":1}`);
  });

  test.each(['0', '999', largest])('returns 404 for the unknown id %s', async (id) => {
    const response = await requestOnce('GET', `/v1/pets/${id}`);
    expect(response.status).toBe(404);
    expect(response.json).toEqual({
      code: 'not_found',
      message: `there is no pet with id ${id}`,
      status: 404,
    });
  });

  test.each(
    `abc 1.0 1e3 -1 -0 +1 007 0x10 %201 1%20 1%0A %EF%BC%99 %2F 1%2F2 %00 9223372036854775808
    99999999999999999999999`.split(/\s+/),
  )('rejects the petId %s and names the parameter', async (id) => {
    const response = await requestOnce('GET', `/v1/pets/${id}`);
    expectInvalid(response, expect.stringMatching(/^petId must /));
  });
});

function pet() {
  return { name: 'Rex', categoryId: 1 };
}

function expectInvalid({ status, json }: { status: number; json: unknown }, message: unknown) {
  const body = { code: 'invalid_request', message, status: 400 };
  expect({ status, json }).toEqual({ status: 400, json: body });
}

function statusMessage(): string {
  return 'status must be one of available, pending, sold';
}

function encoded(cursor: string): string {
  return Buffer.from(cursor).toString('base64url');
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

function idsOf(pets: unknown): (string | undefined)[] {
  return (pets as { id: unknown }[]).map(({ id }) => formatExactNumber(id));
}

function numbers(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
}

function nextOf({ headers }: { headers: { link?: unknown } }): string | undefined {
  return findLink(headers.link as string | undefined, 'next');
}

async function insert(store: TestStore, id: string): Promise<void> {
  await store.database.write(
    sql`INSERT INTO pets (id, name, category_id, status) VALUES (${BigInt(id)}, 'Rex', 1, NULL)`,
  );
}

async function addPets(store: TestStore, amount: number): Promise<void> {
  for (let added = 0; added < amount; added += 1) {
    expect((await store.request('POST', '/v1/pets', { body: pet() })).status).toBe(201);
  }
}

/** Returns the ids of all pages; calls `between` after each of the first `times - 1` pages. */
async function walk(store: TestStore, start: string, between = async () => {}, times = 0): Promise<unknown[]> {
  const ids: unknown[] = [];
  let pages = 0;
  for (let target: string | undefined = start; target !== undefined; ) {
    const response = await store.request('GET', target);
    expect(response.status).toBe(200);
    ids.push(...idsOf(response.json));
    target = nextOf(response);
    pages += 1;
    if (pages < times) await between();
  }
  return ids;
}
