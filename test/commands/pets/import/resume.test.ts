import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeClock } from '../../../support/clock.js';
import { reply } from '../../../support/faults.js';
import { startCannedServer, startRawServer } from '../../../support/http-server.js';
import {
  addedPets,
  csvOf,
  journalsOf,
  read,
  startPetService,
  summaryOf,
  waitUntil,
  writeInput,
} from '../../../support/imports.js';
import type { Run } from '../../../support/petstore.js';
import { createTestCli, type TestCli } from '../../../support/test-cli.js';
import { interrupt } from '../../../support/test-client.js';
import { startService } from '../../../support/test-server.js';

const created = { status: 201, body: '{"id":1,"name":"Pet 1","categoryId":7}' };

/** The error on the last line of stderr. */
function errorOf({ stderr }: Run): { readonly message: string; readonly hint: string; readonly exitCode: number } {
  return JSON.parse(stderr.trim().split('\n').at(-1) as string).error;
}

/** Imports a file with this content in the home of the user. */
function importFile(cli: TestCli, name: string, content: string, ...flags: string[]): Promise<Run> {
  return cli.run(['pets', 'import', writeInput(cli, name, content), '--json', ...flags]);
}

test('the same rows in another file, format and order are not added again', async () => {
  const cli = createTestCli();
  expect(summaryOf(await importFile(cli, 'pets.csv', 'name,categoryId\nAda,1\nAda,1\nRex,2\n'))).toMatchObject({
    added: 3,
  });
  const lines = ['{"name":"Rex","categoryId":2}', '{"name":"Ada","categoryId":1}', '{"categoryId":1,"name":"Ada"}'];
  const copy = await importFile(cli, 'copy.ndjson', lines.join('\n'));
  expect(summaryOf(copy)).toMatchObject({ added: 0, skipped: 3 });
  expect(copy.stderr).toContain('No row is left to add. To add all rows again, pass --journal with a new file name.');
  expect(copy.exitCode).toBe(0);
  // The new name is known from now on.
  const appended = await importFile(
    cli,
    'copy.ndjson',
    [...lines, '{"name":"Tom","categoryId":3}'].join('\n'),
    '--yes',
  );
  expect(summaryOf(appended)).toMatchObject({ added: 1, skipped: 3 });
  expect(await addedPets(cli)).toHaveLength(4);
});

test('a file is known at its path, even after a copy of it was imported', async () => {
  const cli = createTestCli();
  await importFile(cli, 'pets.csv', csvOf(3));
  await importFile(cli, 'other.csv', csvOf(2, 'Other'));
  expect(summaryOf(await importFile(cli, 'copy.csv', csvOf(3)))).toMatchObject({ added: 0, skipped: 3 });
  expect((await importFile(cli, 'pets.csv', csvOf(4))).exitCode).toBe(2);
  expect(summaryOf(await importFile(cli, 'pets.csv', csvOf(4), '--yes'))).toMatchObject({ added: 1, skipped: 3 });
});

test('--journal with a new file adds all rows again, and with a known one only the others', async () => {
  const cli = createTestCli();
  await importFile(cli, 'pets.csv', csvOf(3));
  const journal = join(cli.home, 'my.journal');
  const all = await importFile(cli, 'pets.csv', csvOf(3), '--journal', journal);
  expect(summaryOf(all)).toMatchObject({ added: 3, skipped: 0, journal });
  const others = await importFile(cli, 'other.csv', csvOf(4), '--journal', journal);
  expect(summaryOf(others)).toMatchObject({ added: 1, skipped: 3, journal });
});

test('two files that share rows are two imports', async () => {
  const cli = createTestCli();
  expect(summaryOf(await importFile(cli, 'a.csv', csvOf(3)))).toMatchObject({ added: 3 });
  expect(summaryOf(await importFile(cli, 'b.csv', csvOf(5)))).toMatchObject({ added: 5, skipped: 0 });
});

test('a changed file needs --yes, which adds only the rows that were not added', async () => {
  const cli = createTestCli();
  await importFile(cli, 'pets.csv', csvOf(3));
  const refused = await importFile(cli, 'pets.csv', csvOf(5));
  expect(errorOf(refused)).toMatchObject({
    code: 'missing_input',
    message: `${cli.home}/pets.csv changed since its import: 3 of 5 rows were added before`,
    hint: 'pass --yes to add the other 2 rows, or pass --journal with a new file name to add all rows',
    exitCode: 2,
  });
  expect(summaryOf(await importFile(cli, 'pets.csv', csvOf(5), '--yes'))).toMatchObject({ added: 2, skipped: 3 });
});

test('a file that replaced an imported one needs --journal, even with --yes', async () => {
  const cli = createTestCli();
  await importFile(cli, 'pets.csv', csvOf(3, 'Monday'));
  for (const flags of [[], ['--yes']]) {
    const refused = await importFile(cli, 'pets.csv', csvOf(2, 'Tuesday'), ...flags);
    expect(errorOf(refused)).toMatchObject({
      message: `${cli.home}/pets.csv was replaced since its import: it lacks 3 rows of those that were added`,
      hint: expect.stringContaining(`pass --journal ${journalsOf(cli)[0]} to add only the 2 rows not added before`),
      exitCode: 2,
    });
  }
  const [journal = ''] = journalsOf(cli);
  const named = await importFile(cli, 'pets.csv', csvOf(2, 'Tuesday'), '--journal', journal);
  expect(summaryOf(named)).toMatchObject({ added: 2, skipped: 0 });
});

test('a pipe continues an unfinished import only', async () => {
  const cli = createTestCli();
  const args = ['pets', 'import', '-', '--json'];
  const { env } = await startPetService((name, earlier) =>
    name === 'Pet 2' && earlier === 0 ? { status: 401 } : created,
  );
  const first = await cli.run(args, { env, input: csvOf(3) });
  expect(summaryOf(first)).toMatchObject({ added: 3 - (summaryOf(first).notSent as number) });
  expect(errorOf(first).hint).toMatch(/then run the same command with the same input to resume$/);
  expect(summaryOf(await cli.run(args, { env, input: csvOf(3) }))).toMatchObject({ notSent: 0 });
  const one = 'name,categoryId\nRex,1\n';
  for (const _ of ['once', 'twice'])
    expect(summaryOf(await cli.run(args, { env, input: one }))).toMatchObject({ added: 1 });
  expect(journalsOf(cli)).toHaveLength(3);
});

test('after a reset of the sandbox, earlier journals are void', async () => {
  const cli = createTestCli();
  const journal = join(cli.home, 'my.journal');
  await importFile(cli, 'pets.csv', csvOf(3));
  await importFile(cli, 'pets.csv', csvOf(3), '--journal', journal);
  await cli.run(['sandbox', 'reset', '--yes']);
  expect(summaryOf(await importFile(cli, 'pets.csv', csvOf(3)))).toMatchObject({ added: 3, skipped: 0 });
  const named = await importFile(cli, 'pets.csv', csvOf(3), '--journal', journal);
  expect(errorOf(named)).toMatchObject({ code: 'other_journal', exitCode: 2 });
});

test('another service has separate journals', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(1));
  for (const { env } of [await startService(), await startService()]) {
    expect(summaryOf(await cli.run(['pets', 'import', path, '--json'], { env }))).toMatchObject({ added: 1 });
  }
  const { env } = await startCannedServer(created);
  const run = await cli.run(['pets', 'import', path, '--journal', journalsOf(cli)[0] as string], { env });
  expect(run.stderr).toContain('is the journal of an import into another service');
  expect(run.exitCode).toBe(2);
});

test.each([
  ['pet food\n', 'is not an import journal'],
  ['no line feed', 'is not an import journal'],
])('a file that holds %j is not used as a journal', async (content, message) => {
  const cli = createTestCli();
  const journal = writeInput(cli, 'notes.txt', content);
  const run = await importFile(cli, 'pets.csv', csvOf(1), '--journal', journal);
  expect(errorOf(run)).toMatchObject({ message: expect.stringContaining(message), exitCode: 2 });
  expect(read(journal)).toBe(content);
});

test('a second import of the same rows waits for the lock, and then fails', async () => {
  const cli = createTestCli();
  const { env, firstRequest, respond } = await startCannedServer({ ...created, waits: true });
  const path = writeInput(cli, 'pets.csv', csvOf(1));
  symlinkSync(path, join(cli.home, 'link.csv'));
  const running = cli.run(['pets', 'import', path, '--json'], { env });
  await firstRequest;
  const second = await cli.run(['pets', 'import', join(cli.home, 'link.csv'), '--json'], { env });
  expect(errorOf(second)).toMatchObject({
    message: 'another petstore process is running this import',
    hint: 'wait for that process, then retry',
    exitCode: 1,
  });
  respond();
  expect(summaryOf(await running)).toMatchObject({ added: 1 });
}, 20_000);

test('a row that was sent with another API key has an unknown outcome and is never sent again', async () => {
  const clock = fakeClock();
  const cli = createTestCli({ clock });
  const args = ['pets', 'import', writeInput(cli, 'pets.csv', csvOf(1)), '--json'];
  const headers = { 'idempotency-key-lifetime': '86400' };
  const { env, firstRequest, requests } = await startCannedServer({ hang: true, headers }, { ...created, headers });
  const { end } = await cli.start(args, { env, until: firstRequest });
  const ending = end(interrupt);
  clock.advance(1_000);
  expect(summaryOf(await ending)).toMatchObject({ unknown: 1 });
  const other = { ...env, PETSTORE_API_KEY: 'pets_other_0123456789' };
  writeInput(cli, 'pets.csv', csvOf(2));
  expect(errorOf(await cli.run(args, { env: other })).hint).toMatch(/^pass --yes to add 1 row, or /);
  writeInput(cli, 'pets.csv', csvOf(1));
  for (const key of [other, env]) {
    expect(summaryOf(await cli.run(args, { env: key }))).toMatchObject({ added: 0, unknown: 1 });
  }
  expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('an import that a 401 stopped continues with another API key', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(30));
  const refusal = { status: 401, body: '{"code":"c","message":"m"}' };
  const { env } = await startPetService((name, earlier) => (name === 'Pet 3' && !earlier ? refusal : created));
  const stopped = await cli.run(['pets', 'import', path, '--json'], { env });
  const added = summaryOf(stopped).added as number;
  const [, command = ''] = /then run petstore (.*) to resume/.exec(errorOf(stopped).hint) ?? [];
  const resumed = await cli.run(command.split(' '), { env: { ...env, PETSTORE_API_KEY: 'pets_other_0123456789' } });
  expect(summaryOf(resumed)).toMatchObject({ added: 30 - added, skipped: added, rejected: 0, unknown: 0 });
});

test('a canceled import finishes requests in flight, and the same command resumes it', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(60));
  const held: (() => void)[] = [];
  const wire = await startRawServer((socket) => {
    const answer = () => socket.write(reply(201, created.body));
    if (wire.requests.length <= 10) answer();
    else held.push(answer);
  });
  const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
  const { end } = await cli.start(['pets', 'import', path, '--json'], {
    env,
    until: waitUntil(() => held.length === 24),
  });
  const ending = end(interrupt);
  for (const answer of held.splice(0)) answer();
  const run = await ending;
  expect(run.exitCode).toBe(130);
  expect(summaryOf(run)).toMatchObject({ added: 34, unknown: 0, notSent: 26 });
  expect(errorOf(run)).toMatchObject({
    message: 'canceled',
    hint: `run petstore pets import ${path} --base-url ${wire.origin}/v1 --output json to resume`,
  });
  const resumed = cli.run(['pets', 'import', path, '--json'], { env });
  const timer = setInterval(() => {
    for (const answer of held.splice(0)) answer();
  }, 5);
  await resumed.finally(() => clearInterval(timer));
  expect(summaryOf(await resumed)).toMatchObject({ added: 26, skipped: 34, notSent: 0 });
  expect(new Set(wire.requests.map((text) => /"name":"(.*?)"/.exec(text)?.[1])).size).toBe(60);
  expect(wire.requests).toHaveLength(60);
});

test('the hint repeats the flags, quoted for a shell', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, "Ann's pets.txt", csvOf(40));
  const { env } = await startCannedServer(created, { status: 401 });
  const files = ['--journal', join(cli.home, 'a.journal'), '--rejects', join(cli.home, 'r.csv')];
  const { stderr } = await cli.run(['pets', 'import', path, '--format', 'csv', ...files, '-p', 'staging'], { env });
  const name = `'${cli.home}/Ann'\\''s pets.txt'`;
  expect(stderr).toContain(
    `then run petstore pets import ${name} --profile staging --base-url ${env.PETSTORE_BASE_URL} --format csv ${files.join(' ')} --force to resume`,
  );
});
