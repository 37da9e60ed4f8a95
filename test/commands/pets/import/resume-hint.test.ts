import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ImportOptions } from '../../../../src/commands/pets/import/options.js';
import { formatResumeHint } from '../../../../src/commands/pets/import/resume-hint.js';
import { formatHint } from '../../../../src/format/hint.js';
import { startCannedServer } from '../../../support/canned-server.js';
import { fakeClock, idleClock } from '../../../support/clock.js';
import { reply } from '../../../support/faults.js';
import {
  addedPets,
  csvOf,
  journalsOf,
  startPetService,
  summaryOf,
  waitUntil,
  writeInput,
} from '../../../support/imports.js';
import { interrupt } from '../../../support/interrupt.js';
import type { Run } from '../../../support/petstore.js';
import { startRawServer } from '../../../support/raw-server.js';
import { createFastTestCli, createTestCli } from '../../../support/test-cli.js';
import { startService } from '../../../support/test-service.js';

const created = { status: 201, body: '{"id":1,"name":"Pet 1","categoryId":7}' };
const unauthorized = { status: 401, body: '{"code":"c","message":"m"}' };

/** The error on the last line of stderr. */
function errorOf({ stderr }: Run): unknown {
  return JSON.parse(stderr.trim().split('\n').at(-1) as string).error;
}

test('a finished import of the same content is repeated only with a new journal', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(3));
  await cli.run(['pets', 'import', path]);
  const copy = writeInput(cli, 'copy.csv', csvOf(3));
  const again = await cli.run(['pets', 'import', copy]);
  expect(again.stderr).toContain(
    'This file was already imported. To import it again, pass --journal with a new file name.\n',
  );
  expect(again.stderr).toContain('Added 0 pets to sandbox, 3 skipped (already added) · ');
  expect(again.exitCode).toBe(0);
  expect(await addedPets(cli)).toHaveLength(3);
  const other = join(cli.home, 'other.journal');
  const run = await cli.run(['pets', 'import', path, '--journal', other, '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 3, skipped: 0, journal: other });
  expect(await addedPets(cli)).toHaveLength(6);
});

test('after a reset of the sandbox, earlier journals are void', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(3));
  const journal = ['--journal', join(cli.home, 'my.journal')];
  for (const flags of [[], journal]) await cli.run(['pets', 'import', path, ...flags]);
  await cli.run(['sandbox', 'reset', '--yes']);
  for (const flags of [[], journal]) {
    const run = await cli.run(['pets', 'import', path, ...flags]);
    expect(run.stderr).not.toContain('already imported');
    expect(run.stderr).toContain('Added 3 pets');
    const again = await cli.run(['pets', 'import', path, ...flags]);
    expect(again.stderr).toContain('already imported');
  }
  expect(await addedPets(cli)).toHaveLength(6);
});

test('another service starts a new import and rejects the old journal', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(1));
  for (const { env } of [await startService(), await startService()]) {
    const run = await cli.run(['pets', 'import', path, '--json'], { env });
    expect(summaryOf(run)).toMatchObject({ added: 1 });
  }
  const journal = journalsOf(cli)[0] as string;
  const { env } = await startCannedServer(created);
  const run = await cli.run(['pets', 'import', path, '--journal', journal], { env });
  expect(run.stderr).toContain('is the journal of another import');
  expect(run.exitCode).toBe(2);
});

test('a canceled import finishes requests in flight, and the same command resumes it', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(40));
  const held: (() => void)[] = [];
  const wire = await startRawServer((socket) => {
    const answer = () => socket.write(reply(201, created.body));
    if (wire.requests.length <= 10) answer();
    else held.push(answer);
  });
  const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
  const { end } = await cli.start(['pets', 'import', path, '--json'], {
    env,
    until: waitUntil(() => held.length === 8),
  });
  const ending = end(interrupt);
  for (const answer of held.splice(0)) answer();
  const run = await ending;
  expect(run.exitCode).toBe(130);
  expect(summaryOf(run)).toMatchObject({ added: 18, inDoubt: 0, notSent: 22 });
  expect(errorOf(run)).toMatchObject({
    message: 'canceled',
    hint: `run petstore pets import ${path} --output json to resume`,
  });
  expect(wire.requests).toHaveLength(18);
  const resumed = cli.run(['pets', 'import', path, '--json'], { env });
  const timer = setInterval(() => {
    for (const answer of held.splice(0)) answer();
  }, 5);
  await resumed.finally(() => clearInterval(timer));
  expect(summaryOf(await resumed)).toMatchObject({ added: 22, skipped: 18, notSent: 0 });
  expect(wire.requests).toHaveLength(40);
  expect(new Set(wire.requests.map((text) => /"name":"(.*?)"/.exec(text)?.[1])).size).toBe(40);
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
  expect(summaryOf(run)).toMatchObject({ added: 0, inDoubt: 1, notSent: 0, doubts: [{ line: 2, name: 'Pet 1' }] });
  expect(summaryOf(await cli.run(args, { env }))).toMatchObject({ added: 0, inDoubt: 1 });
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
  expect(summaryOf(run)).toMatchObject({ added: 0, inDoubt: 0, notSent: 2 });
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
  expect(first.stderr).toContain('hint: run petstore pets list --all to check whether these rows were added');
  expect(first.stderr).toMatch(/^Added 5 pets to \S+, 1 with unknown outcome · /m);
  expect(first.exitCode).toBe(10);
  const second = await cli.run([...args, '--json'], { env });
  const doubts = [{ line: 4, name: 'Pet 3' }];
  expect(summaryOf(second)).toMatchObject({ added: 0, skipped: 5, inDoubt: 1, doubts });
  expect(second.exitCode).toBe(10);
  expect(wire.requests.filter((request) => request.startsWith('POST '))).toHaveLength(6);
});

test('an import whose keys a failing service remembers names the command that settles its rows', async () => {
  const cli = createTestCli({ clock: idleClock() });
  const path = writeInput(cli, 'pets.csv', csvOf(20, 'x'.repeat(100)));
  const headers = { 'idempotency-key-lifetime': '86400' };
  const { env } = await startCannedServer({ status: 503, headers, body: '{"code":"unavailable","message":"down"}' });
  const run = await cli.run(['pets', 'import', path], { env });
  expect(run.exitCode).toBe(9);
  const lines = [...run.stderr.matchAll(/^line (\d+): x{59}… may have been added \(outcome unknown\)$/gm)];
  const numbers = lines.map(([, line]) => Number(line));
  expect(numbers.length).toBeGreaterThanOrEqual(5);
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  expect(run.stderr).toContain('Run the import again to settle these rows. No pet is added twice.\n');
  expect(run.stderr).toContain(`  hint: run petstore pets import ${path} to resume\n`);
  expect(run.stderr).not.toContain('pets list');
});

test('an import that stops because its API key was revoked says how to check rows with unknown outcome', async () => {
  const cli = createTestCli({ clock: idleClock() });
  const path = writeInput(cli, 'pets.csv', csvOf(3));
  const headers = { 'idempotency-key-lifetime': '86400' };
  const failing = { status: 503, headers, body: '{"code":"unavailable","message":"down"}' };
  const { env } = await startPetService((name) => (name === 'Pet 1' ? failing : unauthorized));
  const run = await cli.run(['pets', 'import', path], { env });
  expect(run.stderr).toContain('line 2: Pet 1 may have been added (outcome unknown)\n');
  expect(run.stderr).toContain('Run petstore pets list --all to check whether these rows were added.\n');
  expect(run.stderr).not.toContain('to settle these rows');
});

test('five lost responses in a row stop the import', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(50));
  const { wire, env } = await startResetting(() => true);
  const run = await cli.run(['pets', 'import', path, '--json'], { env });
  const { added, inDoubt, notSent } = summaryOf(run) as Record<string, number>;
  expect({ added, inDoubt, notSent }).toEqual({
    added: 0,
    inDoubt: wire.requests.length,
    notSent: 50 - wire.requests.length,
  });
  // The seven other requests in flight may be lost, too.
  expect(inDoubt).toBeGreaterThanOrEqual(5);
  expect(inDoubt).toBeLessThanOrEqual(12);
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
  [401, 3, 'check PETSTORE_API_KEY, or unset it and run petstore auth login to save another API key, then '],
  [403, 3, 'check that the API key has permission and is not banned, then '],
  [404, 4, ''],
  [405, 5, ''],
  [426, 5, ''],
])('a %i stops the import without rejecting rows, and a later run sends them', async (status, exitCode, fix) => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(30));
  const refusal = { status, body: '{"code":"c","message":"m"}' };
  const args = ['pets', 'import', path, '--json'];
  const refusing = await startCannedServer(refusal);
  const none = await cli.run(args, refusing);
  expect(summaryOf(none)).toMatchObject({ added: 0, rejected: 0, inDoubt: 0, notSent: 30 });
  expect(none.exitCode).toBe(exitCode);
  expect(refusing.requests.length).toBeLessThanOrEqual(8);
  const { env } = await startPetService((name, earlier) => (name === 'Pet 3' && !earlier ? refusal : created));
  const some = await cli.run(args, { env });
  const added = summaryOf(some).added as number;
  expect(summaryOf(some)).toMatchObject({ rejected: 0, inDoubt: 0, notSent: 30 - added });
  const journal = status === 401 || status === 403 ? `--journal ${summaryOf(some).journal} ` : '';
  expect(errorOf(some)).toMatchObject({
    code: 'import_stopped',
    message: `the import stopped: m (HTTP ${status})`,
    hint: `${fix}run petstore pets import ${path} ${journal}--output json to resume`,
    exitCode: 10,
  });
  const rest = await cli.run(args, { env });
  expect(summaryOf(rest)).toMatchObject({ added: 30 - added, skipped: added, rejected: 0 });
  expect(rest.exitCode).toBe(0);
});

test('after a 401, the hint resumes the import with another API key', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(30));
  const refusal = { status: 401, body: '{"code":"c","message":"m"}' };
  const { env } = await startPetService((name, earlier) => (name === 'Pet 3' && !earlier ? refusal : created));
  const stopped = await cli.run(['pets', 'import', path, '--json'], { env });
  const added = summaryOf(stopped).added as number;
  const [, command = ''] = /then run petstore (.*) to resume/.exec((errorOf(stopped) as { hint: string }).hint) ?? [];
  const other = { ...env, PETSTORE_API_KEY: 'pets_other_0123456789' };
  const unnamed = await cli.run(['pets', 'import', path], { env: other });
  expect(unnamed.stderr).toContain(`was partly imported to`);
  expect(unnamed.stderr).toContain(`pass --journal ${summaryOf(stopped).journal} to add only the other rows`);
  expect(unnamed.exitCode).toBe(2);
  const resumed = await cli.run(command.split(' '), { env: other });
  expect(summaryOf(resumed)).toMatchObject({ added: 30 - added, skipped: added, rejected: 0, inDoubt: 0 });
  expect(resumed.exitCode).toBe(0);
  // Later imports with that API key find the journal, although its name has the first one.
  const copy = writeInput(cli, 'copy.csv', csvOf(30));
  expect(summaryOf(await cli.run(['pets', 'import', copy, '--json'], { env: other }))).toMatchObject({ added: 0 });
  writeInput(cli, 'pets.csv', csvOf(31));
  expect(summaryOf(await cli.run(['pets', 'import', path, '--json'], { env: other }))).toMatchObject({ added: 1 });
});

test('after a 401, the hint for standard input names the journal', async () => {
  const cli = createTestCli();
  const { env } = await startCannedServer(created, created, { status: 401, body: '{"code":"c","message":"m"}' });
  const args = ['pets', 'import', '-', '--yes', '--json'];
  const stopped = await cli.run(args, { env, input: csvOf(30) });
  const { journal } = summaryOf(stopped);
  expect(errorOf(stopped)).toMatchObject({
    hint: expect.stringMatching(`run the same command with --journal ${journal} and the same input to resume$`),
  });
});

test('a refused connection stops the import with exit code 8', async () => {
  const cli = createFastTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(3));
  const { env } = await startCannedServer(created);
  const refusing = { ...env, PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' };
  const run = await cli.run(['pets', 'import', path, '--json'], { env: refusing });
  expect(summaryOf(run)).toMatchObject({ added: 0, inDoubt: 0, notSent: 3 });
  expect(run.exitCode).toBe(8);
});

test('the hint repeats the flags, quoted for a shell', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, "Ann's pets.txt", csvOf(2));
  const { env } = await startCannedServer(created, unauthorized);
  const journal = join(cli.home, 'a.journal');
  const flags = ['--format', 'csv', '--journal', journal, '-p', 'staging'];
  const { stderr } = await cli.run(['pets', 'import', path, ...flags], { env });
  const name = `'${cli.home}/Ann'\\''s pets.txt'`;
  expect(stderr).toContain(
    `then run petstore pets import ${name} --profile staging --format csv --journal ${journal} to resume`,
  );
});

test.each<[string, Partial<ImportOptions>, string]>([
  [
    '-pets.csv',
    { journal: '-j', rejects: '-' },
    'petstore pets import ./-pets.csv --journal ./-j --rejects ./- --force',
  ],
  ['pets.csv', { journal: '\u001b[2J' }, 'the same command with the same --journal'],
  ['\u009b.csv', { journal: 'a b.journal' }, "the same command with --journal 'a b.journal'"],
  ['\u009b.csv', {}, 'the same command again'],
  ['\u009b.csv', { rejects: 'r.csv' }, 'the same command with --force'],
])('the hint for the path %j and the flags %j can be followed', (path, options, command) => {
  const hint = formatResumeHint({ name: path, isStream: false }, options, {});
  expect(formatHint(hint)).toBe(`run ${command} to resume`);
});

test('a file that changes during the import stops it with a summary', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(5_000));
  let asked = 0;
  const { origin } = await startRawServer((socket) => {
    asked += 1;
    if (asked === 2) appendFileSync(path, 'Late,7\n');
    socket.write(reply(201, created.body));
  });
  const env = { PETSTORE_BASE_URL: `${origin}/v1`, PETSTORE_API_KEY: 'pets_canary_0123456789' };
  const run = await cli.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: asked, notSent: 5_000 - asked });
  expect(errorOf(run)).toMatchObject({
    code: 'import_stopped',
    hint: 'restore the file and run the same command to resume, or import the changed file from the start',
    exitCode: 10,
  });
});
