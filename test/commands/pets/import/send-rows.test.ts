import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { AppContext } from '../../../../src/app/context.js';
import { startProgress } from '../../../../src/commands/pets/import/send-rows.js';
import type { QuotaWindow } from '../../../../src/quota/forecast.js';
import { emptyQuotaState } from '../../../../src/quota/quota-state.js';
import { fakeClock, idleClock } from '../../../support/clock.js';
import { reply } from '../../../support/faults.js';
import { startCannedServer, startRawServer } from '../../../support/http-server.js';
import {
  csvOf,
  journalsOf,
  read,
  startPetService,
  summaryOf,
  waitUntil,
  writeInput,
} from '../../../support/imports.js';
import type { Run } from '../../../support/petstore.js';
import { createFastTestCli, createTestCli } from '../../../support/test-cli.js';
import { interrupt } from '../../../support/test-client.js';
import { startService } from '../../../support/test-server.js';

const created = { status: 201, body: '{"id":1,"name":"Pet","categoryId":7}' };

/** The error on the last line of stderr. */
function errorOf({ stderr }: Run): unknown {
  return JSON.parse(stderr.trim().split('\n').at(-1) as string).error;
}

/** A clock whose waits take no time; deadlines are longer and never end. */
const shortSleeps = () => idleClock(Date.now(), 20_000);

test('rows beyond the quota wait for later windows, and none gets a 429', async () => {
  const cli = createTestCli({ clock: idleClock(Date.now(), 100_000) });
  const path = writeInput(cli, 'pets.csv', csvOf(130));
  const run = await cli.run(['pets', 'import', path, '--json', '--verbose', '--timeout', '3600']);
  expect(summaryOf(run)).toMatchObject({ added: 130, notSent: 0, unknown: 0 });
  expect(run.stderr).not.toContain(' 429');
  expect(summaryOf(run).seconds).toBeGreaterThanOrEqual(120);
  expect(summaryOf(run).seconds).toBeLessThan(240);
});

test('an exhausted daily quota stops the import with the time and the command to resume it', async () => {
  const clock = shortSleeps();
  const cli = createTestCli({ clock });
  const { env, statuses } = await startService({ clock, limits: { perMinute: 100, perDay: 20 } });
  const path = writeInput(cli, 'pets.csv', csvOf(30));
  const run = await cli.run(['pets', 'import', path], { env });
  expect(run.exitCode).toBe(10);
  expect(run.stderr).toMatch(/^Added 20 pets to \S+, 10 not sent · /m);
  expect(run.stderr).toMatch(/the import stopped: the day's quota of \S+ \(20 requests\) is used up\n/);
  expect(run.stderr).toMatch(/^ {2}retry in (1d|23h|24h).*, at /m);
  expect(run.stderr).toContain(
    `run petstore pets import ${path} --base-url ${env.PETSTORE_BASE_URL} to resume, or run petstore quota --reset --base-url ${env.PETSTORE_BASE_URL} if the limit was raised\n`,
  );
  expect(statuses.filter((status) => status === 429)).toEqual([]);
  const again = await cli.run(['pets', 'import', path, '--json'], { env });
  expect(again.exitCode).toBe(10);
  clock.advance(86_400_000);
  const done = await cli.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(done)).toMatchObject({ added: 10, skipped: 20 });
  expect(done.exitCode).toBe(0);
});

test('429s of concurrent requests cause one wait', async () => {
  const cli = createTestCli({ clock: shortSleeps() });
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
  expect(summaryOf(run)).toMatchObject({ added: 30, unknown: 0, notSent: 0 });
  expect(run.stderr.match(/Waiting \d+s for the quota/g)).toHaveLength(1);
  // A crash in the wait leaves no row whose outcome is unknown.
  expect(read(journalsOf(cli)[0] ?? '').match(/"unsent"/g)).toHaveLength(8);
  expect(wire.requests).toHaveLength(38);
  expect(summaryOf(run).seconds).toBeGreaterThanOrEqual(2);
});

test('a wait beyond --max-wait stops the import with exit code 6', async () => {
  const cli = createTestCli({ clock: shortSleeps() });
  const refusal = { status: 429, headers: { 'retry-after': '500' } };
  const { env, requests } = await startCannedServer(refusal);
  const path = writeInput(cli, 'pets.csv', csvOf(30));
  const run = await cli.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: 0, unknown: 0, notSent: 30 });
  expect(run.exitCode).toBe(6);
  const { error } = JSON.parse(run.stderr.trim().split('\n').at(-1) as string);
  expect(Date.parse(error.retryAt)).toBeGreaterThan(0);
  expect(requests).toHaveLength(1);
});

test('with --max-wait 0 an exhausted window stops the import with the command to resume it', async () => {
  const clock = shortSleeps();
  const cli = createTestCli({ clock });
  const { env, statuses } = await startService({ clock, limits: { perMinute: 20, perDay: 100 } });
  const path = writeInput(cli, 'pets.csv', csvOf(30));
  const args = ['pets', 'import', path, '--max-wait', '0'];
  const run = await cli.run(args, { env });
  expect(run.exitCode).toBe(10);
  expect(run.stderr).toMatch(/^Added 20 pets to \S+, 10 not sent · /m);
  expect(run.stderr).toContain('the import stopped: no requests are left in this window\n');
  const resume = `run petstore pets import ${path} --base-url ${env.PETSTORE_BASE_URL} --max-wait 0 to resume`;
  expect(run.stderr).toContain(`${resume}, or pass --max-wait 6`);
  expect(statuses).toEqual(Array(20).fill(201));
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
  expect(summaryOf(run)).toMatchObject({ added: 3, unknown: 0 });
  const names = wire.requests.map((request) => /"name":"(.*?)"/.exec(request)?.[1]);
  expect(names).toEqual(['Pet 1', 'Pet 2', 'Pet 3', 'Pet 1']);
  const keys = wire.requests.map((request) => /^idempotency-key: (.*)\r$/im.exec(request)?.[1]);
  expect(keys[3]).toBe(keys[0]);
  expect(new Set(keys).size).toBe(3);
});

test.each([
  [1, { added: 1, unknown: 0 }, 2],
  [25, { added: 0, unknown: 1 }, 1],
])(
  'a run after %i hours sends a row without an outcome only with a key that has not expired',
  async (hours, summary, sent) => {
    const clock = shortSleeps();
    const cli = createTestCli({ clock });
    let isLosing = true;
    const wire = await startRawServer((socket) => {
      if (isLosing) socket.resetAndDestroy();
      else socket.write(reply(201, created.body, 'idempotency-key-lifetime: 86400'));
    });
    const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
    const path = writeInput(cli, 'pets.csv', csvOf(1));
    const args = ['pets', 'import', path, '--json'];
    expect(summaryOf(await cli.run(args, { env }))).toMatchObject({ added: 0, unknown: 1 });
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
  expect(summaryOf(await cli.run(args, { env }))).toMatchObject({ rejected: 0, unknown: 1 });
  expect(summaryOf(await cli.run(args, { env }))).toMatchObject({ added: 1, unknown: 0 });
});

test('a row that was sent before and gets a 429 keeps its unknown outcome in the journal', async () => {
  const world = createTestCli({ clock: shortSleeps() });
  const wire = await startRawServer((socket, request) => {
    const { length } = wire.requests.filter((one) => one.startsWith('POST '));
    if (!request.startsWith('POST ')) socket.write(reply(200, '[]', 'idempotency-key-lifetime: 86400'));
    else if (length === 1) socket.resetAndDestroy();
    else socket.write(reply(429, '', `retry-after: ${length === 2 ? 1 : 500}`));
  });
  const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
  const path = writeInput(world, 'pets.csv', csvOf(1));
  const run = await world.run(['pets', 'import', path, '--json', '--timeout', '3600'], { env });
  expect(summaryOf(run)).toMatchObject({ added: 0, unknown: 1, notSent: 0 });
  expect(wire.requests.filter((request) => request.startsWith('POST '))).toHaveLength(3);
  const [journal = ''] = journalsOf(world);
  expect(read(journal)).toContain('{"sent":');
  expect(read(journal)).not.toContain('{"unsent":');
});

test('a canceled import waits one second for a silent service, and the outcome of that row is unknown', async () => {
  const clock = fakeClock();
  const cli = createTestCli({ clock });
  const path = writeInput(cli, 'pets.csv', csvOf(1));
  const { env, firstRequest, requests } = await startCannedServer({ hang: true }, {});
  const args = ['pets', 'import', path, '--json'];
  const { end } = await cli.start(args, { env, until: firstRequest });
  let hasEnded = false;
  const ending = end(interrupt).finally(() => {
    hasEnded = true;
  });
  clock.advance(999);
  for (let tick = 0; tick < 100; tick += 1) await new Promise(setImmediate);
  expect(hasEnded).toBe(false);
  clock.advance(1);
  const run = await ending;
  expect(run.exitCode).toBe(130);
  expect(summaryOf(run)).toMatchObject({ added: 0, unknown: 1, notSent: 0, unknownRows: [{ line: 2, name: 'Pet 1' }] });
  expect(summaryOf(await cli.run(args, { env }))).toMatchObject({ added: 0, unknown: 1 });
  expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
});

test('a canceled import sends a row later if it had no connection to send it', async () => {
  const clock = fakeClock();
  const cli = createTestCli({ clock });
  const path = writeInput(cli, 'pets.csv', csvOf(2));
  const connected: Socket[] = [];
  const silent = createServer((socket) => void connected.push(socket.on('error', () => {})));
  silent.listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const env = { PETSTORE_BASE_URL: `https://127.0.0.1:${port}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
  const until = waitUntil(() => connected.length > 0);
  const { end } = await cli.start(['pets', 'import', path, '--json'], { env, until });
  const ending = end(interrupt);
  clock.advance(1_000);
  const run = await ending;
  expect(run.exitCode).toBe(130);
  expect(summaryOf(run)).toMatchObject({ added: 0, unknown: 0, notSent: 2 });
});

/** Starts a service that resets the connection of some requests. */
async function startResetting(isReset: (request: string) => boolean) {
  const wire = await startRawServer((socket, request) => {
    if (isReset(request)) socket.resetAndDestroy();
    else socket.write(reply(201, created.body));
  });
  const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
  return { wire, env };
}

test('a row whose response was lost is listed and never sent again', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(6));
  const { wire, env } = await startResetting((request) => request.includes('"Pet 3"'));
  const args = ['pets', 'import', path];
  const first = await cli.run(args, { env });
  expect(first.stderr).toContain('line 4: Pet 3 may have been added (outcome unknown)\n');
  expect(first.stderr).toContain(
    `hint: run petstore pets list --all --base-url ${env.PETSTORE_BASE_URL} to check whether these rows were added`,
  );
  expect(first.stderr).toMatch(/^Added 5 pets to \S+, 1 with unknown outcome · /m);
  expect(first.exitCode).toBe(10);
  const second = await cli.run([...args, '--json'], { env });
  const unknownRows = [{ line: 4, name: 'Pet 3' }];
  expect(summaryOf(second)).toMatchObject({ added: 0, skipped: 5, unknown: 1, unknownRows });
  expect(second.exitCode).toBe(10);
  expect(wire.requests.filter((request) => request.startsWith('POST '))).toHaveLength(6);
});

test('an import whose keys a failing service remembers names the command that settles its rows', async () => {
  const cli = createTestCli({ clock: shortSleeps() });
  const path = writeInput(cli, 'pets.csv', csvOf(20, 'x'.repeat(100)));
  const headers = { 'idempotency-key-lifetime': '86400' };
  const { env } = await startCannedServer({ status: 503, headers, body: '{"code":"unavailable","message":"down"}' });
  const run = await cli.run(['pets', 'import', path], { env });
  expect(run.exitCode).toBe(9);
  const lines = [...run.stderr.matchAll(/^line (\d+): x{59}… may have been added \(outcome unknown\)$/gm)];
  const numbers = lines.map(([, line]) => Number(line));
  expect(numbers.length).toBeGreaterThanOrEqual(5);
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  expect(run.stderr).toContain(
    `  hint: run petstore pets import ${path} --base-url ${env.PETSTORE_BASE_URL} to resume\n`,
  );
  expect(run.stderr).not.toContain('pets list');
});

test('an import that cannot ask whether the service honors keys names only the command to resume it', async () => {
  const cli = createFastTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(1));
  const { env } = await startResetting(() => true);
  const args = ['pets', 'import', path, '--json'];
  const resume = `petstore pets import ${path} --base-url ${env.PETSTORE_BASE_URL} --output json`;
  for (const _ of ['first', 'second']) {
    expect(errorOf(await cli.run(args, { env }))).toMatchObject({ hint: `run ${resume} to resume`, next: [resume] });
  }
});

test('the progress says how long the rest takes once the quota or many rows show it', async () => {
  let windows: readonly QuotaWindow[] = [];
  const shown = { text: async (_?: number) => '' };
  const clock = fakeClock();
  const terminal = { hasProgress: false, startProgress: (text: typeof shown.text) => Object.assign(shown, { text }) };
  const context = { clock, terminal, settings: { maxWaitMs: 60_000 } } as unknown as AppContext;
  const progress = { skipped: 100, processed: 100 };
  startProgress(context, 300, progress, async () => ({ ...emptyQuotaState, windows: windows as [] }));
  clock.advance(2_000);
  progress.processed = 101;
  expect(await shown.text()).toBe('101 of 300 rows');
  clock.advance(1_000);
  progress.processed = 150;
  expect(await shown.text()).toBe('150 of 300 rows · 9s left');
  windows = [{ limit: 60, remaining: 0, endsAt: clock.now() + 30_000 }];
  expect(await shown.text(clock.now() + 30_000)).toBe('150 of 300 rows · 2m 30s left');
});

test('16 lost responses in a row stop the import', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(50));
  const { wire, env } = await startResetting(() => true);
  const run = await cli.run(['pets', 'import', path, '--json'], { env });
  const { added, unknown, notSent } = summaryOf(run) as Record<string, number>;
  expect({ added, unknown, notSent }).toEqual({
    added: 0,
    unknown: wire.requests.length,
    notSent: 50 - wire.requests.length,
  });
  // The other requests in flight may be lost, too.
  expect(unknown).toBeGreaterThanOrEqual(16);
  expect(unknown).toBeLessThanOrEqual(39);
  expect(run.exitCode).toBe(9);
});

test('lost responses after added rows stop the import without the outcome of the last request', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(50));
  const { env } = await startResetting((request) => !request.includes('"Pet 1"'));
  const run = await cli.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(run).added).toBe(1);
  expect(errorOf(run)).toMatchObject({
    code: 'import_stopped',
    message: expect.stringMatching(/^the import stopped: \S+ closed the connection before the response was complete$/),
  });
});

test('a 201 with an invalid body counts as added', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(1));
  const { env } = await startCannedServer({ status: 201, body: 'not JSON' });
  const run = await cli.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: 1 });
  expect(run.exitCode).toBe(0);
});

test.each([
  [401, 3, 'check PETSTORE_API_KEY, or unset it and run petstore auth login URL to save another API key, then '],
  [403, 3, 'check that the API key has permission and is not banned, then '],
  [404, 4, 'check the base URL, including a version segment such as /v1, then '],
  [405, 5, ''],
  [426, 5, ''],
])('a %i stops the import without rejecting rows, and a later run sends them', async (status, exitCode, fix) => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(30));
  const refusal = { status, body: '{"code":"c","message":"m"}' };
  const args = ['pets', 'import', path, '--json'];
  const refusing = await startCannedServer(refusal);
  const none = await cli.run(args, refusing);
  expect(summaryOf(none)).toMatchObject({ added: 0, rejected: 0, unknown: 0, notSent: 30 });
  expect(none.exitCode).toBe(exitCode);
  expect(refusing.requests.length).toBeLessThanOrEqual(24);
  const { env } = await startPetService((name, earlier) => (name === 'Pet 3' && !earlier ? refusal : created));
  const some = await cli.run(args, { env });
  const added = summaryOf(some).added as number;
  expect(summaryOf(some)).toMatchObject({ rejected: 0, unknown: 0, notSent: 30 - added });
  expect(errorOf(some)).toMatchObject({
    code: 'import_stopped',
    message: `the import stopped: m (HTTP ${status})`,
    hint: `${fix.replace('login URL', `login --base-url ${env.PETSTORE_BASE_URL}`)}run petstore pets import ${path} --base-url ${env.PETSTORE_BASE_URL} --output json to resume`,
    exitCode: 10,
  });
  const rest = await cli.run(args, { env });
  expect(summaryOf(rest)).toMatchObject({ added: 30 - added, skipped: added, rejected: 0 });
  expect(rest.exitCode).toBe(0);
});

test('a refused connection stops the import with exit code 8', async () => {
  const cli = createFastTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(3));
  const { env } = await startCannedServer(created);
  const refusing = { ...env, PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' };
  const run = await cli.run(['pets', 'import', path, '--json'], { env: refusing });
  expect(summaryOf(run)).toMatchObject({ added: 0, unknown: 0, notSent: 3 });
  expect(run.exitCode).toBe(8);
});
