import { expect, test } from 'vitest';
import { autoAdvancingClock } from '../support/clock.js';
import { add, lines, list, openFaultyService, refusal, reply, rex, rexListed } from '../support/faults.js';
import { createFastTestCli } from '../support/test-cli.js';

const row = '1  Rex  1  sold\n';
const words = 'pets list --no-header';
const page = (remaining: number, ...headers: string[]) =>
  reply(
    200,
    `[${rex}]`,
    'x-ratelimit-limit: 60',
    `x-ratelimit-remaining: ${remaining}`,
    'x-ratelimit-reset: 1795262442',
    ...headers,
  );

test('a command waits for the reset if no requests remain', async () => {
  const { wire, run } = await openFaultyService([page(0), page(59)]);
  expect((await run(words)).stderr).toBe('127.0.0.1:PORT · 0 of 60 requests left · resets in 42s\n');
  expect(await run(words)).toEqual({
    stdout: row,
    stderr: lines(['Waiting 42s for the quota.', '127.0.0.1:PORT · 60 of 60 requests left · window has reset']),
    exitCode: 0,
  });
  expect(wire.requests).toHaveLength(2);
});

test('a command fails without sending if the wait exceeds --max-wait', async () => {
  const { wire, run } = await openFaultyService([page(0)]);
  await run(words);
  expect(await run(`${words} --max-wait 0`)).toEqual({
    stdout: '',
    stderr: lines([
      'error: no requests are left in this window; nothing was sent',
      '  retry in 42s, at 12:00:42',
      '  hint: pass --max-wait 60 to wait',
    ]),
    exitCode: 6,
  });
  expect(await run(`${add} --max-wait 39`)).toEqual({
    stdout: '',
    stderr:
      '{"error":{"code":"rate_limited","message":"no requests are left in this window; nothing was sent","hint":"pass --max-wait 60 to wait","exitCode":6,"retryAt":"2026-11-21T12:00:42.000Z","next":["petstore pets add --name Rex --category-id 1 --json --max-wait 39 --max-wait 60"]}}\n',
    exitCode: 6,
  });
  expect(wire.requests).toHaveLength(1);
});

test.each([
  ['a 429', refusal(429, 'slow', 'retry-after: 600')],
  ['a ban', refusal(403, 'banned', 'retry-after: 600')],
])('after %s commands fail without sending until it ends', async (_, refused) => {
  const clock = autoAdvancingClock();
  const { wire, run } = await openFaultyService([refused, reply(200, `[${rex}]`)], createFastTestCli({ clock }));
  await run(list);
  expect(await run(list)).toEqual({
    stdout: '',
    stderr:
      '{"error":{"code":"rate_limited","message":"the service rate limited or banned this API key; nothing was sent","hint":"pass --max-wait 600 to wait","exitCode":6,"retryAt":"2026-11-21T12:10:00.000Z","next":["petstore pets list --json --max-wait 600"]}}\n',
    exitCode: 6,
  });
  expect(wire.requests).toHaveLength(1);
  clock.advance(600_000);
  expect(await run(list)).toEqual({ stdout: lines(rexListed), stderr: '', exitCode: 0 });
  expect(wire.requests).toHaveLength(2);
});

test('each 429 without Retry-After doubles the block', async () => {
  const clock = autoAdvancingClock();
  const { wire, run } = await openFaultyService([refusal(429, 'slow')], createFastTestCli({ clock }));
  const retryAt = async () => JSON.parse((await run(`${list} -q --max-wait 0`)).stderr).error.retryAt;
  expect(await retryAt()).toBe('2026-11-21T12:00:30.000Z');
  expect(await retryAt()).toBe('2026-11-21T12:00:30.000Z');
  clock.advance(40_000);
  expect(await retryAt()).toBe('2026-11-21T12:01:40.000Z');
  clock.advance(70_000);
  expect(await retryAt()).toBe('2026-11-21T12:03:50.000Z');
  expect(wire.requests).toHaveLength(3);
});

test('a create is sent again unchanged after a 429', async () => {
  const { wire, run } = await openFaultyService([refusal(429, 'slow', 'retry-after: 2'), reply(201, rex)]);
  expect((await run(add)).exitCode).toBe(0);
  const [first, again] = wire.requests;
  expect(first).toContain('{"name":"Rex","categoryId":1}');
  expect(again).toBe(first);
  expect(wire.requests).toHaveLength(2);
});

test('a 429 does not block another API key', async () => {
  const { wire, cli, run } = await openFaultyService([refusal(429, 'slow', 'retry-after: 600'), page(59)]);
  await run(list);
  const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_another_0123456' };
  expect((await cli.run(list.split(' '), { env })).exitCode).toBe(0);
});

test('a remaining count that rises within its window is ignored', async () => {
  const { wire, run } = await openFaultyService([page(1), page(60)]);
  await run(words);
  await run(words);
  expect((await run('quota')).stdout).toContain('  1 of 60 requests left · ');
  expect(wire.requests).toHaveLength(2);
});

test('a used-up day blocks requests though the minute has some left', async () => {
  const day = reply(200, '[]', 'x-ratelimit-limit: 1000', 'x-ratelimit-remaining: 0', 'x-ratelimit-reset: 1795305600');
  const { wire, run } = await openFaultyService([page(59), day, page(58)]);
  await run(words);
  await run(words);
  expect(await run(words)).toEqual({
    stdout: '',
    stderr: lines([
      "error: the day's quota of 127.0.0.1:PORT (1,000 requests) is used up; nothing was sent",
      '  retry in 12h, at 2026-11-22 00:00:00',
      '  hint: run petstore quota --reset if the limit was raised',
    ]),
    exitCode: 6,
  });
  expect(wire.requests).toHaveLength(2);
});

test('a negative remaining count without a limit blocks until the reset', async () => {
  const overdrawn = reply(200, '[]', 'x-ratelimit-remaining: -3', 'x-ratelimit-reset: 1795262442');
  const { wire, run } = await openFaultyService([overdrawn, page(59)]);
  expect((await run(words)).stderr).toContain('0 requests left · resets in 42s\n');
  expect(JSON.parse((await run(`${list} --max-wait 0`)).stderr).error).toMatchObject({
    code: 'rate_limited',
    retryAt: '2026-11-21T12:00:42.000Z',
  });
  expect(wire.requests).toHaveLength(1);
  expect(await run(words)).toMatchObject({ stdout: row, exitCode: 0 });
  expect(wire.requests).toHaveLength(2);
});

test.each([
  ['no requests remain', page(0), 'no requests are left in this window; nothing was sent'],
  ['of a 429', refusal(429, 'slow', 'retry-after: 42'), 'the service rate limited or banned this API key; nothing was'],
])('doctor sends nothing if %s', async (_, first, detail) => {
  const { wire, run } = await openFaultyService([first]);
  await run(`${words} --max-wait 0`);
  const { stdout, exitCode } = await run('doctor --json');
  const service = JSON.parse(stdout).find(({ check }: { check: string }) => check === 'service');
  expect(service).toMatchObject({ status: 'warning', detail: expect.stringContaining(detail) });
  expect(exitCode).toBe(0);
  expect(wire.requests).toHaveLength(1);
});

test('quota --refresh sends nothing during a 429 block', async () => {
  const { wire, run } = await openFaultyService([refusal(429, 'slow', 'retry-after: 600'), page(59)]);
  await run(list);
  expect(await run('quota --refresh')).toMatchObject({
    stdout: expect.stringContaining('paused  10m, rate limited or banned by the service\n'),
    stderr: 'Requests are paused, so nothing was sent.\n',
    exitCode: 0,
  });
  expect(wire.requests).toHaveLength(1);
});
