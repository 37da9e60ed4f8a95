import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/api/http.js';
import type { Plan } from '../../src/api/plan.js';
import { formatExactNumber, parseJson } from '../../src/format/json.js';
import { openSandbox } from '../../src/server/sandbox.js';
import { fakeClock } from '../support/clock.js';
import { makeFolder } from '../support/folder.js';

const key = 'pets_sandbox0123456789';

describe('the sandbox', () => {
  test('has its sample animals from the first use', async () => {
    const sandbox = await open();
    expect(sandbox.isNew).toBe(true);
    const response = await sandbox.handler(get('/v1/pets?limit=1'), 'this process');
    expect(new TextDecoder().decode(response.body)).toBe(
      '[{"id":1,"name":"Ada","categoryId":1,"status":"available"}]',
    );
    await sandbox.close();
  });

  test.each([
    ['free', '60'],
    ['pro', '300'],
    ['business', '1000'],
    ['enterprise', '10000'],
  ] as const)('has the limits of the plan %s', async (plan, limit) => {
    const sandbox = await open({ plan });
    const { headers } = await sandbox.handler(get('/v1/pets'), 'this process');
    expect(headers['x-ratelimit-limit']).toBe(limit);
    await sandbox.close();
  });

  test('takes its own key and no other', async () => {
    const sandbox = await open();
    const headers = { authorization: 'Bearer pets_another' };
    const response = await sandbox.handler({ ...get('/v1/pets'), headers }, 'this process');
    expect(response.status).toBe(401);
    await sandbox.close();
  });

  test('keeps its pets and its counts from one use to the next', async () => {
    const path = join(await makeFolder(), 'sandbox.db');
    const first = await open({ path });
    const added = await first.handler(post('{"name":"Rex","categoryId":1}'), 'this process');
    const { id } = parseJson(added.body) as { id: unknown };
    await first.close();
    const second = await open({ path });
    expect(second.isNew).toBe(false);
    const response = await second.handler(get(`/v1/pets/${formatExactNumber(id)}`), 'this process');
    expect(response.status).toBe(200);
    expect(response.headers['x-ratelimit-remaining']).toBe('58');
    await second.close();
  });

  test('is made once, by many who open it at once', async () => {
    const path = join(await makeFolder(), 'sandbox.db');
    const opened = await Promise.all(Array.from({ length: 10 }, () => open({ path })));
    expect(opened.filter(({ isNew }) => isNew)).toHaveLength(1);
    const statuses = await Promise.all(
      opened.map(
        async ({ handler: handle }) => (await handle(get('/v1/pets'), 'this process')).status,
      ),
    );
    expect(statuses).toEqual(Array(10).fill(200));
    for (const { close } of opened) await close();
  });

  test('fails the request, and answers no 500, where its database fails', async () => {
    const sandbox = await open();
    await sandbox.close();
    await expect(sandbox.handler(get('/v1/pets'), 'this process')).rejects.toThrow(/database/i);
  });
});

function open({ path = ':memory:', plan = 'free' as Plan } = {}) {
  return openSandbox({
    path,
    plan,
    key,
    clock: fakeClock(),
    nodeVersion: process.versions.node,
  });
}

function get(target: string): HttpRequest {
  const headers = { authorization: `Bearer ${key}` };
  return { method: 'GET', origin: 'http://sandbox.invalid', target, headers };
}

function post(body: string): HttpRequest {
  const request = get('/v1/pets');
  return {
    ...request,
    method: 'POST',
    headers: { ...request.headers, 'content-type': 'application/json' },
    body: new TextEncoder().encode(body),
  };
}
