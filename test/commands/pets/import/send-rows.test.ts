import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../../support/canned-server.js';
import { idleClock } from '../../../support/clock.js';
import { reply } from '../../../support/faults.js';
import { csvOf, journalsOf, read, summaryOf, writeInput } from '../../../support/imports.js';
import { startRawServer } from '../../../support/raw-server.js';
import { createTestCli } from '../../../support/test-cli.js';
import { startService } from '../../../support/test-service.js';

const created = { status: 201, body: '{"id":1,"name":"Pet","categoryId":7}' };

test('rows beyond the quota wait for later windows, and none gets a 429', async () => {
  const cli = createTestCli({ clock: idleClock() });
  const path = writeInput(cli, 'pets.csv', csvOf(130));
  const run = await cli.run(['pets', 'import', path, '--json', '--verbose']);
  expect(summaryOf(run)).toMatchObject({ added: 130, notSent: 0, inDoubt: 0 });
  expect(run.stderr).not.toContain(' 429');
  expect(summaryOf(run).seconds).toBeGreaterThanOrEqual(120);
  expect(summaryOf(run).seconds).toBeLessThan(240);
});

test('progress is printed every ten seconds without a terminal', async () => {
  const cli = createTestCli({ clock: idleClock() });
  const path = writeInput(cli, 'pets.csv', csvOf(100));
  const run = await cli.run(['pets', 'import', path, '--json']);
  const lines = run.stderr.split('\n').filter((line) => / of 100 rows/.test(line));
  expect(Math.abs(lines.length - Number(summaryOf(run).seconds) / 10)).toBeLessThanOrEqual(1);
  // The last lines may come after the last row, without an estimate.
  expect(lines.filter((line) => !line.startsWith('100 ')).at(-1)).toMatch(
    /^\d+ of 100 rows · (waiting \d+s for the quota|[\d.]+ rows\/s) · .+ left · \d+ requests left$/,
  );
  expect(lines.some((line) => line.includes('waiting'))).toBe(true);
});

test('an exhausted daily quota stops the import with the time and the command to resume it', async () => {
  const clock = idleClock();
  const cli = createTestCli({ clock });
  const { env, statuses } = await startService({ clock, limits: { perMinute: 100, perDay: 20 } });
  const path = writeInput(cli, 'pets.csv', csvOf(30));
  const run = await cli.run(['pets', 'import', path], { env });
  expect(run.exitCode).toBe(10);
  expect(run.stderr).toMatch(/^Added 20 pets to \S+, 10 not sent · /m);
  expect(run.stderr).toMatch(/the import stopped: the day's quota of \S+ \(20 requests\) is used up\n/);
  expect(run.stderr).toMatch(/^ {2}retry in (1d|23h|24h).*, at /m);
  expect(run.stderr).toContain(`run petstore pets import ${path} to resume`);
  expect(statuses.filter((status) => status === 429)).toEqual([]);
  const again = await cli.run(['pets', 'import', path, '--json'], { env });
  expect(again.exitCode).toBe(10);
  clock.advance(86_400_000);
  const done = await cli.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(done)).toMatchObject({ added: 10, skipped: 20 });
  expect(done.exitCode).toBe(0);
});

test('429s of concurrent requests cause one wait', async () => {
  const cli = createTestCli({ clock: idleClock() });
  const held: Socket[] = [];
  let rejected = 0;
  const wire = await startRawServer((socket) => {
    if (wire.requests.length === 1 || rejected > 0) socket.write(reply(201, created.body));
    else held.push(socket);
    if (held.length < 8) return;
    rejected = held.length;
    for (const one of held.splice(0)) one.write(reply(429, '', 'retry-after: 2'));
  });
  const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
  const path = writeInput(cli, 'pets.csv', csvOf(30));
  const args = ['pets', 'import', path, '--json', '--timeout', '3600'];
  const run = await cli.run(args, { env });
  expect(summaryOf(run)).toMatchObject({ added: 30, inDoubt: 0, notSent: 0 });
  expect(wire.requests).toHaveLength(38);
  expect(summaryOf(run).seconds).toBeGreaterThanOrEqual(2);
});

test('a wait beyond --max-wait stops the import with exit code 6', async () => {
  const cli = createTestCli({ clock: idleClock() });
  const refusal = { status: 429, headers: { 'retry-after': '500' } };
  const { env, requests } = await startCannedServer(refusal);
  const path = writeInput(cli, 'pets.csv', csvOf(30));
  const run = await cli.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: 0, inDoubt: 0, notSent: 30 });
  expect(run.exitCode).toBe(6);
  const { error } = JSON.parse(run.stderr.trim().split('\n').at(-1) as string);
  expect(Date.parse(error.retryAt)).toBeGreaterThan(0);
  expect(requests).toHaveLength(1);
});

test('with --max-wait 0 an exhausted window stops the import with the command to resume it', async () => {
  const clock = idleClock();
  const cli = createTestCli({ clock });
  const { env, statuses } = await startService({ clock, limits: { perMinute: 20, perDay: 100 } });
  const path = writeInput(cli, 'pets.csv', csvOf(30));
  const args = ['pets', 'import', path, '--max-wait', '0'];
  const run = await cli.run(args, { env });
  expect(run.exitCode).toBe(10);
  expect(run.stderr).toMatch(/^Added 20 pets to \S+, 10 not sent · /m);
  expect(run.stderr).toContain('the import stopped: no requests are left in this window\n');
  expect(run.stderr).toContain(`run petstore pets import ${path} --max-wait 0 to resume`);
  const other = writeInput(cli, 'other.csv', csvOf(3, 'Other'));
  const none = await cli.run(['pets', 'import', other, '--max-wait', '0'], { env });
  expect(none.exitCode).toBe(6);
  expect(none.stderr).toContain(`run petstore pets import ${other} --max-wait 0 to resume`);
  const waiting = await cli.run(['pets', 'import', other, '--max-wait', '60', '--json'], { env });
  expect(summaryOf(waiting)).toMatchObject({ added: 3 });
  expect(statuses).toEqual(Array(23).fill(201));
});

test('an import through an unreliable service that honors idempotency keys adds each pet once', async () => {
  const cli = createTestCli({ clock: idleClock() });
  const service = await startService({ faults: [{ kind: 'reset', probability: 0.05 }], seed: 3 });
  const path = writeInput(cli, 'pets.csv', csvOf(300));
  const run = await cli.run(['pets', 'import', path, '--json'], service);
  expect(summaryOf(run)).toMatchObject({ added: 300, inDoubt: 0 });
  // With the time of the system: on a busy machine, an idle clock may pass the timeout of a request in flight.
  const list = await createTestCli().run(['pets', 'list', '--all', '-o', 'ndjson'], service);
  expect(list.exitCode).toBe(0);
  const names = [...list.stdout.matchAll(/"name":"(Pet \d+)"/g)].map(([, name]) => name as string);
  expect(names.sort()).toEqual(
    csvOf(300)
      .match(/Pet \d+/g)
      ?.sort(),
  );
  const [journal = ''] = journalsOf(cli);
  expect(read(journal).trimEnd().split('\n').at(-1)).toBe('.');
});

test('rows whose responses were lost before the service proved that it honors keys are settled at the end', async () => {
  const cli = createTestCli();
  let creates = 0;
  const wire = await startRawServer((socket, request) => {
    if (request.startsWith('POST ')) creates += 1;
    if (creates === 1) socket.resetAndDestroy();
    else socket.write(reply(201, created.body, 'idempotency-key-lifetime: 86400'));
  });
  const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
  const path = writeInput(cli, 'pets.csv', csvOf(3));
  const run = await cli.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: 3, inDoubt: 0 });
  const keys = wire.requests.map((request) => /^idempotency-key: (.*)-(\d+)\r$/im.exec(request)?.[2]);
  expect(keys).toEqual(['1', '2', '3', '1']);
});

test.each([
  [1, { added: 1, inDoubt: 0 }, 2],
  [25, { added: 0, inDoubt: 1 }, 1],
])(
  'a run after %i hours sends a row without an outcome only with a key that has not expired',
  async (hours, summary, sent) => {
    const clock = idleClock();
    const cli = createTestCli({ clock });
    let isLosing = true;
    const wire = await startRawServer((socket) => {
      if (isLosing) socket.resetAndDestroy();
      else socket.write(reply(201, created.body, 'idempotency-key-lifetime: 86400'));
    });
    const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
    const path = writeInput(cli, 'pets.csv', csvOf(1));
    const args = ['pets', 'import', path, '--json'];
    expect(summaryOf(await cli.run(args, { env }))).toMatchObject({ added: 0, inDoubt: 1 });
    isLosing = false;
    clock.advance(hours * 3_600_000);
    expect(summaryOf(await cli.run(args, { env }))).toMatchObject(summary);
    const creates = wire.requests.filter((request) => request.startsWith('POST '));
    expect(creates).toHaveLength(sent);
    expect(new Set(creates.map((request) => /^idempotency-key: (.*)\r$/im.exec(request)?.[1])).size).toBe(1);
  },
);

test.each([
  ['a 409', reply(409, '{"title":"A request is outstanding"}')],
  ['a 400 from a proxy', reply(400, '<html>Bad Request</html>')],
  ['a 422 without a code', reply(422, '{"message":"blocked"}')],
])('a row that was sent before and gets %s keeps its unknown outcome', async (_, rejection) => {
  const cli = createTestCli();
  const wire = await startRawServer((socket, request) => {
    const { length } = wire.requests.filter((one) => one.startsWith('POST '));
    if (!request.startsWith('POST ')) socket.write(reply(200, '[]', 'idempotency-key-lifetime: 86400'));
    else if (length === 1) socket.resetAndDestroy();
    else if (length === 2) socket.write(rejection);
    else socket.write(reply(201, created.body, 'idempotency-key-lifetime: 86400'));
  });
  const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
  const path = writeInput(cli, 'pets.csv', csvOf(1));
  const args = ['pets', 'import', path, '--json'];
  expect(summaryOf(await cli.run(args, { env }))).toMatchObject({ rejected: 0, inDoubt: 1 });
  expect(summaryOf(await cli.run(args, { env }))).toMatchObject({ added: 1, inDoubt: 0 });
});

test('a row that was sent before and gets a 429 keeps its unknown outcome in the journal', async () => {
  const world = createTestCli({ clock: idleClock() });
  const wire = await startRawServer((socket, request) => {
    const { length } = wire.requests.filter((one) => one.startsWith('POST '));
    if (!request.startsWith('POST ')) socket.write(reply(200, '[]', 'idempotency-key-lifetime: 86400'));
    else if (length === 1) socket.resetAndDestroy();
    else socket.write(reply(429, '', `retry-after: ${length === 2 ? 1 : 500}`));
  });
  const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
  const path = writeInput(world, 'pets.csv', csvOf(1));
  const run = await world.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: 0, inDoubt: 1, notSent: 0 });
  expect(wire.requests.filter((request) => request.startsWith('POST '))).toHaveLength(3);
  const [journal = ''] = journalsOf(world);
  expect(read(journal)).toContain('\n>1\n');
  expect(read(journal)).not.toContain('\n<1\n');
});
