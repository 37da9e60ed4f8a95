import { describe, expect, test } from 'vitest';
import { createPet, getPet, listOrders, listPets } from '../../src/api/operations.js';
import { buildOperationRequest, buildRawRequest } from '../../src/client/request.js';

const destination = {
  origin: 'https://store.example',
  basePath: '/v1',
  authorization: 'Bearer key',
  userAgent: 'petstore/1.0',
};

const headers = {
  authorization: 'Bearer key',
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'petstore/1.0',
};

describe('buildOperationRequest', () => {
  test('builds a path without query and body for empty input', () => {
    expect(buildOperationRequest(listPets, {}, destination)).toEqual({
      method: 'GET',
      origin: 'https://store.example',
      target: '/v1/pets',
      headers,
    });
    expect(buildOperationRequest(listOrders, {}, destination).target).toBe('/v1/store/orders');
  });

  test('orders the query as the operation does', () => {
    const { target } = buildOperationRequest(listPets, { status: 'sold', limit: 5 }, destination);
    expect(target).toBe('/v1/pets?limit=5&status=sold');
  });

  test('omits an undefined query parameter', () => {
    const input = { limit: undefined, status: 'sold' } as unknown as { status: 'sold' };
    expect(buildOperationRequest(listPets, input, destination).target).toBe('/v1/pets?status=sold');
  });

  test('escapes the query', () => {
    const input = { status: 'a&b=ü 1' } as unknown as { status: 'sold' };
    expect(buildOperationRequest(listPets, input, destination).target).toBe('/v1/pets?status=a%26b%3D%C3%BC+1');
  });

  test.each([
    ['9223372036854775807', '9223372036854775807'],
    ['a/b', 'a%2Fb'],
    ['1?x=y#z', '1%3Fx%3Dy%23z'],
    ['ü %', '%C3%BC%20%25'],
    ['$&', '%24%26'],
  ])('escapes the path parameter %j', (petId, segment) => {
    expect(buildOperationRequest(getPet, { petId }, destination).target).toBe(`/v1/pets/${segment}`);
  });

  test('keeps all digits of 64-bit numbers in the body', () => {
    const input = { name: 'Rex', categoryId: '9223372036854775807', status: 'sold' } as const;
    const request = buildOperationRequest(createPet, input, destination);
    expect(request).toMatchObject({ method: 'POST', target: '/v1/pets' });
    expect(request.headers).toEqual({ ...headers, 'content-type': 'application/json' });
    expect(bodyText(request)).toBe('{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}');
  });

  test('omits undefined and unknown members of the body', () => {
    const input = { name: 'Rex', categoryId: '1', status: undefined, owner: 'x' };
    const request = buildOperationRequest(createPet, input as never, destination);
    expect(bodyText(request)).toBe('{"name":"Rex","categoryId":1}');
  });

  test('keeps every character of a name', () => {
    const name = 'Zoë "🐕" \u202e\n';
    const request = buildOperationRequest(createPet, { name, categoryId: '1' }, destination);
    expect(JSON.parse(bodyText(request))).toEqual({ name, categoryId: 1 });
  });
});

test('buildRawRequest adds headers, and sends the API key in the authorization header only', () => {
  const raw = { method: 'GET', target: '/v1/pets?cursor=x', headers: { 'x-a': 'b' } };
  expect(buildRawRequest(raw, destination)).toEqual({
    method: 'GET',
    origin: 'https://store.example',
    target: '/v1/pets?cursor=x',
    headers: { ...headers, 'x-a': 'b' },
  });
});

function bodyText({ body }: { readonly body?: Uint8Array }): string {
  return new TextDecoder().decode(body);
}
