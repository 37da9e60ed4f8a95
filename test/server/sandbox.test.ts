import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/api/plan.js';
import { formatExactNumber, parseJson } from '../../src/format/json.js';
import type { ServerRequest } from '../../src/server/request-context.js';
import { openSandbox } from '../../src/server/sandbox.js';
import { fakeClock } from '../support/clock.js';
import { makeFolder } from '../support/temp-folder.js';

const key = 'pets_sandbox0123456789';

describe('the sandbox', () => {
  test('has sample pets from its first use on', async () => {
    const sandbox = await open();
    expect(sandbox.isNew).toBe(true);
    const response = await sandbox.handle(get('/v1/pets?limit=1'));
    expect(new TextDecoder().decode(response.body)).toBe('[{"id":1,"name":"Ada","categoryId":1,"status":"available"}]');
    await sandbox.close();
  });

  test('accepts only its own key', async () => {
    const sandbox = await open();
    const headers = { authorization: 'Bearer pets_another' };
    const response = await sandbox.handle({ ...get('/v1/pets'), headers });
    expect(response.status).toBe(401);
    await sandbox.close();
  });

  test('keeps pets and counters after it is closed', async () => {
    const path = join(await makeFolder(), 'sandbox.db');
    const first = await open({ path });
    const added = await first.handle(post('{"name":"Rex","categoryId":1}'));
    const { id } = parseJson(added.body) as { id: unknown };
    await first.close();
    const second = await open({ path });
    expect(second.isNew).toBe(false);
    const response = await second.handle(get(`/v1/pets/${formatExactNumber(id)}`));
    expect(response.status).toBe(200);
    expect(response.headers['x-ratelimit-remaining']).toBe('58');
    await second.close();
  });

  test('deletes idempotency keys when it is reset', async () => {
    const sandbox = await open();
    const request = post('{"name":"Rex","categoryId":1}');
    const add = () => sandbox.handle({ ...request, headers: { 'idempotency-key': 'a', ...request.headers } });
    await add();
    expect((await add()).headers['idempotency-replayed']).toBe('true');
    await sandbox.replacePets([]);
    expect(await add()).toMatchObject({
      status: 201,
      headers: expect.not.objectContaining({ 'idempotency-replayed': 'true' }),
    });
    expect(await sandbox.countPets()).toBe(1);
    await sandbox.close();
  });

  test('rejects if its database fails', async () => {
    const path = join(await makeFolder(), 'sandbox.db');
    const sandbox = await open({ path });
    rmSync(path);
    await expect(sandbox.handle(get('/v1/pets'))).rejects.toThrow(/database/i);
  });
});

test('a small write-ahead log is left to the next process, and a large one is not', async () => {
  const path = join(await makeFolder(), 'sandbox.db');
  const sizes: number[] = [];
  for (let runs = 0; runs < 60; runs += 1) {
    const sandbox = await open({ path });
    await sandbox.handle(get('/v1/pets'));
    await sandbox.close();
    sizes.push(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
  }
  expect(Math.min(...sizes)).toBe(0);
  expect(Math.max(...sizes)).toBeGreaterThan(0);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536);
  const { headers } = await (await open({ path })).handle(get('/v1/pets'));
  expect(headers['retry-after']).toBe('60');
});

function open({ path = ':memory:', plan = 'free' as Plan } = {}) {
  const nodeVersion = process.versions.node;
  return openSandbox({ path, plan, key, clock: fakeClock(), nodeVersion });
}

function get(target: string): ServerRequest {
  const headers = { authorization: `Bearer ${key}` };
  return { method: 'GET', target, headers };
}

function post(body: string): ServerRequest {
  const request = get('/v1/pets');
  return {
    ...request,
    method: 'POST',
    headers: { ...request.headers, 'content-type': 'application/json' },
    body: new TextEncoder().encode(body),
  };
}
