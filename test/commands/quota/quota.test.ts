import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/canned-server.js';
import { fakeClock } from '../../support/clock.js';
import { createTestCli } from '../../support/test-cli.js';

test('the last quota is shown with bar, reset, age and a guess, and spends nothing', async () => {
  const clock = fakeClock();
  const world = createTestCli({ clock });
  await world.run(['pets', 'list', '-q']);
  clock.advance(18_000);
  expect((await world.run(['quota'])).stdout).toBe(
    'sandbox  [####################]  59 of 60 requests left this minute\n' +
      'resets in 42s\nseen 18s ago\nplan: free (a guess from the limit)\n',
  );
  expect(JSON.parse((await world.run(['quota', '--json'])).stdout)).toEqual({
    profile: 'sandbox',
    limit: 60,
    remaining: 59,
    resetAt: '2026-11-21T12:01:00.000Z',
    window: 'minute',
    planGuess: 'free',
    seenAt: '2026-11-21T12:00:00.000Z',
  });
});

test('--refresh spends one request to know it now', async () => {
  const world = createTestCli({ clock: fakeClock() });
  const { stdout } = await world.run(['quota', '--refresh', '--json', '--fields', 'remaining']);
  expect(JSON.parse(stdout)).toEqual({ remaining: 59 });
});

test('before any answer there is nothing to show', async () => {
  const run = await createTestCli().run(['quota']);
  expect(run).toMatchObject({ stdout: '', exitCode: 0 });
  expect(run.stderr).toContain('no answer was seen yet');
});

test('it works while the service refuses, and tells until when', async () => {
  const clock = fakeClock();
  const world = createTestCli({ clock });
  for (let count = 0; count < 60; count += 1) await world.run(['pets', 'list', '-q']);
  // Only a process that does not know of the others' requests sends one too many.
  rmSync(join(world.home, '.local/state/petstore/quota'), { recursive: true });
  await world.run(['pets', 'list', '-q', '--max-wait', '0']);
  clock.advance(30_000);
  const run = await world.run(['quota']);
  expect(run.stdout).toContain('[....................]  0 of 60 requests left this minute');
  expect(run.stdout).toContain('no request is sent for another 30s');
  expect(run.exitCode).toBe(0);
});

test.each([
  ['60', '59', 60, 'minute', 'free'],
  ['300', '2', 60, 'minute', 'pro'],
  ['1000', '2', 60, 'minute', 'business'],
  ['1000', '2', 3_600, 'day', 'free'],
  ['10000', '2', 3_600, 'day', 'pro'],
  ['77', '2', 60, 'minute', undefined],
])(
  'of a limit of %s with %s left and a reset in %ds the guess is %s',
  async (limit, remaining, seconds, window, planGuess) => {
    const reset = Math.ceil(Date.now() / 1000) + seconds;
    const { env } = await startCannedServer({
      headers: {
        'x-ratelimit-limit': limit,
        'x-ratelimit-remaining': remaining,
        'x-ratelimit-reset': String(reset),
      },
    });
    const world = createTestCli();
    const { stdout } = await world.run(['quota', '--refresh', '--json'], { env });
    const { window: shown, planGuess: guessed } = JSON.parse(stdout);
    expect({ shown, guessed }).toEqual({ shown: window, guessed: planGuess });
  },
);

test.each([
  '{"quota":{"limit":1,"remaining":5},"seenAt":1}',
  '{"quota":{"limit":60,"remaining":-9},"seenAt":1}',
  '{"quota":{"limit":60,"remaining":5,"resetAt":9007199254740991},"seenAt":1}',
  '{"quota":{},"seenAt":1e300}',
])('an odd ledger (%s) is no bug', async (content) => {
  const world = createTestCli({ clock: fakeClock() });
  await world.run(['pets', 'list', '-q']);
  const directory = join(world.home, '.local/state/petstore/quota');
  const ledgers = readdirSync(directory);
  expect(ledgers).toHaveLength(1);
  for (const name of ledgers) writeFileSync(join(directory, name), content);
  for (const format of ['table', 'json']) {
    expect((await world.run(['quota', '-o', format])).exitCode).toBe(0);
  }
});
