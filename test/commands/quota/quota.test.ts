import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/canned-server.js';
import { fakeClock } from '../../support/clock.js';
import { createTestCli } from '../../support/test-cli.js';

test('quota prints the last known quota without a request', async () => {
  const clock = fakeClock();
  const cli = createTestCli({ clock });
  await cli.run(['pets', 'list', '-q']);
  clock.advance(17_500);
  expect((await cli.run(['quota'])).stdout).toBe(
    'sandbox  [####################]  59 of 60 requests left this minute\n' +
      'Resets in 42s\nUpdated 18s ago\nPlan: Free (inferred from the limit)\n',
  );
  expect(JSON.parse((await cli.run(['quota', '--json'])).stdout)).toEqual({
    profile: 'sandbox',
    limit: 60,
    remaining: 59,
    resetAt: '2026-11-21T12:01:00.000Z',
    window: 'minute',
    planGuess: 'free',
    seenAt: '2026-11-21T12:00:00.000Z',
  });
});

test('quota prints a notice before the first response', async () => {
  const run = await createTestCli().run(['quota']);
  expect(run).toMatchObject({ stdout: '', exitCode: 0 });
  expect(run.stderr).toBe('No quota data yet. Run petstore quota --refresh.\n');
});

test('quota prints the end of a pause without a request', async () => {
  const clock = fakeClock();
  const cli = createTestCli({ clock });
  for (let count = 0; count < 60; count += 1) await cli.run(['pets', 'list', '-q']);
  // Without the ledger, the next command sends one request too many.
  rmSync(join(cli.home, '.local/state/petstore/quota'), { recursive: true });
  await cli.run(['pets', 'list', '-q', '--max-wait', '0']);
  clock.advance(30_000);
  const run = await cli.run(['quota']);
  expect(run.stdout).toContain('[....................]  0 of 60 requests left this minute');
  expect(run.stdout).toContain('Requests are paused for 30s');
  expect(run.exitCode).toBe(0);
});

test.each([
  ['1000', 60, 'minute', 'business'],
  ['1000', 3_600, 'day', 'free'],
  ['77', 60, 'minute', undefined],
  ['10000', 60, 'minute', undefined],
])(
  'quota --refresh sends one request: the limit %s with a reset in %d s suggests a %s of plan %s',
  async (limit, seconds, window, planGuess) => {
    const { env, requests } = await startCannedServer({
      headers: {
        'x-ratelimit-limit': limit,
        'x-ratelimit-remaining': '2',
        'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + seconds),
      },
    });
    const { stdout } = await createTestCli().run(['quota', '--refresh', '--json'], { env });
    const { planGuess: actual, ...record } = JSON.parse(stdout);
    expect(record).toMatchObject({ remaining: 2, window });
    expect(actual).toBe(planGuess);
    expect(requests).toHaveLength(1);
  },
);

test.each([
  '{"quota":{"limit":1,"remaining":5},"seenAt":1}',
  '{"quota":{"limit":60,"remaining":-9},"seenAt":1}',
  '{"quota":{"limit":60,"remaining":5,"resetAt":9007199254740991},"seenAt":1}',
  '{"quota":{},"seenAt":1e300}',
])('quota accepts the implausible ledger entry %s', async (content) => {
  const cli = createTestCli({ clock: fakeClock() });
  await cli.run(['pets', 'list', '-q']);
  const directory = join(cli.home, '.local/state/petstore/quota');
  const ledgers = readdirSync(directory);
  expect(ledgers).toHaveLength(1);
  for (const name of ledgers) writeFileSync(join(directory, name), content);
  for (const format of ['table', 'json']) {
    expect((await cli.run(['quota', '-o', format])).exitCode).toBe(0);
  }
});
