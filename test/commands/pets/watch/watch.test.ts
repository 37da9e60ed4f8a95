import { describe, expect, test } from 'vitest';
import { autoAdvancingClock } from '../../../support/clock.js';
import { type CannedResponse, startCannedServer } from '../../../support/http-server.js';
import { waitUntil } from '../../../support/imports.js';
import { createFastTestCli, createTestCli } from '../../../support/test-cli.js';
import { interrupt } from '../../../support/test-client.js';
import { startService } from '../../../support/test-server.js';

const watch = ['pets', 'list', '--watch'];
const list = (...pets: readonly object[]): CannedResponse => ({ body: JSON.stringify(pets) });
const ada = { id: 1, name: 'Ada', categoryId: 7, status: 'available' };
const balu = { id: 2, name: 'Balu', categoryId: 7, status: 'available' };

/** Watches until one more request than `requests` was sent, then presses Ctrl-C. */
async function watchFor(requests: number, answers: readonly CannedResponse[], args: readonly string[] = watch) {
  const service = await startCannedServer(...answers);
  const cli = createFastTestCli();
  const until = waitUntil(() => service.requests.length > requests);
  const { end } = await cli.start(args, { env: service.env, until });
  const run = await end(interrupt);
  // The test of each line has exact times.
  const stdout = run.stdout.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
  return { ...run, stdout, requests: service.requests };
}

test('each added, changed or removed pet is one line, and Ctrl-C exits with code 0', async () => {
  const run = await watchFor(4, [
    list(ada),
    list(ada, balu),
    list({ ...ada, status: 'sold' }, balu),
    list({ ...ada, status: 'sold' }),
  ]);
  expect(run.stdout).toBe(
    '+ TIME 2 Balu available\n~ TIME 1 Ada sold; status was available\n- TIME 2 Balu available\n',
  );
  expect(run.stderr).toMatch(/^Watching 1 pet, polling every 5s\. Press Ctrl-C to stop\.\n/);
  expect(run.exitCode).toBe(0);
});

test('NDJSON has one event per line, with exact ids', async () => {
  const body = '[{"id":9223372036854775807,"name":"Rex","status":"sold","chip":{"a":1}}]';
  const args = [...watch, '2', '--output', 'ndjson'];
  const { stdout } = await watchFor(3, [list(), { body }, list()], args);
  const pet = body.slice(1, -1);
  expect(stdout).toBe(`{"event":"added","time":"TIME","pet":${pet}}\n{"event":"removed","time":"TIME","pet":${pet}}\n`);
});

test.each([
  [
    [],
    '/v1/pets?limit=100',
    'Watching 100 pets, polling every 5s. There may be more; use --all to watch every pet. Press',
  ],
  [
    ['--limit', '7'],
    '/v1/pets?limit=7',
    'Watching 7 pets, polling every 5s. There may be more; use --all to watch every pet.',
  ],
  [['--status', 'sold'], '/v1/pets?limit=100&status=sold', 'Watching 100 pets'],
  [['--all'], '/v1/pets?limit=100', 'Watching 103 pets, polling every 5s. Press Ctrl-C'],
])('with %j it requests %s', async (flags, url, notice) => {
  const many = Array.from({ length: 100 }, (_, id) => ({ id, name: 'Pet' }));
  const link = { link: '</v1/pets?cursor=x>; rel="next"' };
  const last = list(...[100, 101, 102].map((id) => ({ id, name: 'Pet' })));
  const run = await watchFor(2, [{ ...list(...many), headers: link }, last], [...watch, ...flags]);
  expect(run.requests[0]?.url).toBe(url);
  expect(run.stderr).toContain(notice);
});

test('warns once if the list grows beyond the page that is watched', async () => {
  const many = Array.from({ length: 100 }, (_, id) => ({ ...balu, id }));
  const full = { ...list(...many), headers: { link: '</v1/pets?cursor=x>; rel="next"' } };
  const run = await watchFor(4, [list(...many.slice(1)), full, full, full], watch);
  expect(run.stderr).toMatch(/^Watching 99 pets, .*\n! There may be more; use --all to watch every pet\.\n$/);
});

describe('the quota', () => {
  test.each([60, 10, 40])('of %i per minute is used by half at most', async (perMinute) => {
    const clock = autoAdvancingClock();
    const cli = createFastTestCli({ clock });
    const { env, statuses } = await startService({ clock, limits: { perMinute, perDay: 1e9 } });
    const start = clock.now();
    const minutes = 5;
    const until = waitUntil(() => clock.now() > start + minutes * 60_000);
    const { end } = await cli.start([...watch, '1', '--all'], { env, until });
    const run = await end(interrupt);
    expect(run.exitCode).toBe(0);
    expect(statuses.filter((status) => status === 429)).toEqual([]);
    // The first request precedes any quota data.
    expect(statuses.length).toBeLessThanOrEqual((minutes + 1) * (perMinute / 2 + 1));
    expect(statuses.length).toBeGreaterThan(minutes);
  });

  test('is announced as the only period if it allows just slow polls', async () => {
    const headers = {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 50),
    };
    const run = await watchFor(2, [{ ...list(ada), headers }, list(ada)], [...watch, '2']);
    expect(run.stderr).toMatch(
      /^Watching 1 pet, polling every \d+s to use at most half of the remaining quota\. Press/,
    );
    expect(run.stderr.match(/polling every/gi)).toHaveLength(1);
  });

  test('a 429 delays the next poll by its Retry-After', async () => {
    const rateLimited: CannedResponse = { status: 429, headers: { 'retry-after': '400' } };
    const run = await watchFor(3, [list(ada), rateLimited, list(ada, balu)]);
    expect(run.stderr).toContain('watching continues');
    expect(run.stdout).toBe('+ TIME 2 Balu available\n');
    expect(run.exitCode).toBe(0);
  });
});

test('transient errors are reported once, and watching continues', async () => {
  const broken: CannedResponse = { status: 500 };
  const answers = [list(ada), ...Array.from({ length: 6 }, () => broken), list(balu)];
  const run = await watchFor(8, answers);
  expect(run.stderr.match(/watching continues/g)).toHaveLength(1);
  expect(run.stdout).toBe('- TIME 1 Ada available\n+ TIME 2 Balu available\n');
});

test('on a terminal, a failed poll and the next successful one have a time', async () => {
  const service = await startCannedServer(list(ada), { body: '{' }, { body: '{' }, list(ada), list(ada));
  const until = waitUntil(() => service.requests.length > 4);
  const { end } = await createFastTestCli({ columns: 200 }).start([...watch, '--color', 'never'], {
    env: service.env,
    until,
  });
  const { stderr } = await end(interrupt);
  expect(stderr).toMatch(/^! \d\d:\d\d:\d\d .*; watching continues\n\d\d:\d\d:\d\d The service responds again\.\n/m);
});

test.each([
  ['a first request that fails', [{ status: 500 }], 7],
  ['a rejected API key', [list(ada), { status: 401 }], 3],
])('%s stops the command', async (_, answers, exitCode) => {
  const { env } = await startCannedServer(...answers);
  expect(await createFastTestCli().run(watch, { env })).toMatchObject({ exitCode, stdout: '' });
});

test('rejects --jq by its name', async () => {
  const run = await createTestCli().run([...watch, '--jq', '.']);
  expect(run).toMatchObject({ exitCode: 2, stdout: '' });
  expect(JSON.parse(run.stderr).error).toMatchObject({
    message: '--watch does not support --jq',
    hint: 'remove --jq',
  });
});

test.each(['0', '0.5', 'x', '-1', '1e9', '86401'])('rejects a period of %s seconds', async (period) => {
  const run = await createFastTestCli().run([...watch, period]);
  expect(run.exitCode).toBe(2);
});
