import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeClock } from '../../support/clock.js';
import { startCannedServer } from '../../support/http-server.js';
import { createTestCli } from '../../support/test-cli.js';

test('quota prints the last known quota without a request', async () => {
  const clock = fakeClock();
  const cli = createTestCli({ clock });
  await cli.run(['pets', 'list', '-q']);
  clock.advance(17_500);
  expect((await cli.run(['quota'])).stdout).toBe(
    'sandbox\n  minute  ███████████████████░  59 of 60 requests left · resets in 42s\nUpdated 18s ago\n',
  );
  expect(JSON.parse((await cli.run(['quota', '--json'])).stdout)).toEqual({
    profile: 'sandbox',
    limit: 60,
    remaining: 59,
    resetAt: '2026-11-21T12:01:00.000Z',
    window: 'minute',
    windows: { minute: { limit: 60, remaining: 59, resetAt: '2026-11-21T12:01:00.000Z' } },
    seenAt: '2026-11-21T12:00:00.000Z',
  });
});

test('quota prints a notice before the first response', async () => {
  const run = await createTestCli().run(['quota']);
  expect(run).toMatchObject({ stdout: '', exitCode: 0 });
  expect(run.stderr).toBe('No quota data yet. Run petstore quota --refresh --profile sandbox.\n');
});

test('quota prints the end of a pause without a request', async () => {
  const clock = fakeClock();
  const cli = createTestCli({ clock });
  for (let count = 0; count < 60; count += 1) await cli.run(['pets', 'list', '-q']);
  // Without the quota state, the next command sends one request too many.
  rmSync(join(cli.home, '.local/state/petstore/quota'), { recursive: true });
  await cli.run(['pets', 'list', '-q', '--max-wait', '0']);
  clock.advance(30_000);
  const run = await cli.run(['quota']);
  expect(run.stdout).toBe('sandbox\n  paused  30s, rate limited or banned by the service\nUpdated 30s ago\n');
  expect(run.exitCode).toBe(0);
});

test.each([
  [60, 'minute'],
  [3_600, 'day'],
])('quota --refresh sends one request: a reset in %d s ends a %s', async (seconds, window) => {
  const { env, requests } = await startCannedServer({ headers: headersOf(1_000, 2, seconds) });
  const { stdout } = await createTestCli().run(['quota', '--refresh', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ remaining: 2, window });
  expect(requests).toHaveLength(1);
});

test('quota shows a ban in place of the requests that remain', async () => {
  const headers = { ...headersOf(60, 60, 60), 'retry-after': '300' };
  const { env } = await startCannedServer({
    status: 429,
    headers,
    body: '{"code":"key_banned","message":"banned","status":429}',
  });
  const cli = createTestCli();
  await cli.run(['pets', 'list', '--max-wait', '0'], { env });
  const { stdout } = await cli.run(['quota'], { env });
  expect(stdout).toMatch(/\n {2}paused {2}\dm.*, rate limited or banned by the service\n/);
  expect(stdout).not.toContain('requests left');
  const record = JSON.parse((await cli.run(['quota', '--json'], { env })).stdout);
  expect(Object.keys(record)).toEqual(['profile', 'seenAt', 'blockedUntil']);
});

test.each([
  '{"quota":{"limit":1,"remaining":5},"seenAt":1}',
  '{"quota":{"limit":60,"remaining":-9},"seenAt":1}',
  '{"quota":{"limit":60,"remaining":5,"resetAt":9007199254740991},"seenAt":1}',
  '{"quota":{},"seenAt":1e300}',
])('quota accepts the implausible quota state %s', async (content) => {
  const cli = createTestCli({ clock: fakeClock() });
  await cli.run(['pets', 'list', '-q']);
  const directory = join(cli.home, '.local/state/petstore/quota');
  const stores = readdirSync(directory);
  expect(stores).toHaveLength(1);
  for (const name of stores) writeFileSync(join(directory, name), content);
  for (const format of ['table', 'json']) {
    expect((await cli.run(['quota', '-o', format])).exitCode).toBe(0);
  }
});

/** Rate-limit headers of a window that resets in so many seconds. */
function headersOf(limit: number, remaining: number, seconds: number) {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + seconds),
  };
}

test('quota shows a bar that is full only if the whole limit is left', async () => {
  const cli = createTestCli();
  const day = await startCannedServer({ headers: headersOf(10_000, 9_936, 7_200) });
  const { env } = day;
  const { stdout } = await cli.run(['quota', '--refresh'], { env });
  expect(stdout).toMatch(/\n {2}day {5}█{19}░ {2}9,936 of 10,000 requests left · resets in /);
  const { windows } = JSON.parse((await cli.run(['quota', '--json'], { env })).stdout);
  expect(windows).toEqual({ day: { limit: 10_000, remaining: 9_936, resetAt: expect.any(String) } });
});

test.each([80, 60, 40, 30])('quota fits a terminal of %d columns', async (columns) => {
  const { env } = await startCannedServer({ headers: headersOf(10_000, 9_936, 7_200) });
  const cli = createTestCli({ columns });
  const { stdout } = await cli.run(['quota', '--refresh', '--no-color'], { env });
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
  expect(stdout.replace(/\s+/g, ' ')).toContain('9,936 of 10,000 requests left · resets in ');
});

test('quota --refresh sends nothing if nothing is left, and prints one time', async () => {
  const { env, requests } = await startCannedServer({ headers: headersOf(60, 0, 30) });
  const cli = createTestCli();
  await cli.run(['quota', '--refresh'], { env });
  const { stdout, stderr, exitCode } = await cli.run(['quota', '--refresh'], { env });
  expect(stderr).toBe('Requests are paused, so nothing was sent.\n');
  expect(stdout).toMatch(/ 0 of 60 requests left · resets in \d+s\n/);
  expect(exitCode).toBe(0);
  expect(requests).toHaveLength(1);
});

test('quota --reset deletes a pause, and asks first', async () => {
  const { env, requests } = await startCannedServer({ headers: headersOf(60, 0, 30) });
  const cli = createTestCli();
  await cli.run(['quota', '--refresh'], { env });
  const unconfirmed = await cli.run(['quota', '--reset'], { env });
  expect(unconfirmed).toMatchObject({ stdout: '', exitCode: 2 });
  expect(unconfirmed.stderr).toContain('pass --yes');
  expect(await cli.run(['quota', '--reset', '--yes'], { env })).toMatchObject({ stdout: '', exitCode: 0 });
  expect((await cli.run(['quota'], { env })).stderr).toContain('No quota data yet.');
  await cli.run(['quota', '--refresh'], { env });
  expect(requests).toHaveLength(2);
});
