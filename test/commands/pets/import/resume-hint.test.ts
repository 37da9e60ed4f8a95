import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../../support/canned-server.js';
import { reply } from '../../../support/faults.js';
import {
  addedPets,
  csvOf,
  journalsOf,
  read,
  summaryOf,
  waitUntil,
  writeInput,
} from '../../../support/imports.js';
import { interrupt } from '../../../support/interrupt.js';
import { startRawServer } from '../../../support/raw-server.js';
import { createFastTestCli, createTestCli } from '../../../support/test-cli.js';
import { startService } from '../../../support/test-service.js';

const created = { status: 201, body: '{"id":1,"name":"Pet 1","categoryId":7}' };

test('a finished import, run again, adds nothing and says so; a new journal imports again', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(3));
  await world.run(['pets', 'import', path]);
  const again = await world.run(['pets', 'import', path]);
  expect(again.stderr).toContain('this file was imported before; --journal NEW imports it again\n');
  expect(again.stderr).toContain('added 0, skipped 3');
  expect(again.exitCode).toBe(0);
  expect(await addedPets(world)).toHaveLength(3);
  const other = join(world.home, 'other.journal');
  const run = await world.run(['pets', 'import', path, '--journal', other, '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 3, skipped: 0, journal: other });
  expect(await addedPets(world)).toHaveLength(6);
});

test('the same pets under another name are the same import', async () => {
  const world = createTestCli();
  await world.run(['pets', 'import', writeInput(world, 'a.csv', csvOf(3))]);
  const run = await world.run(['pets', 'import', writeInput(world, 'b.csv', csvOf(3)), '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 0, skipped: 3 });
});

test('another key, and another service, are other imports', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(1));
  const one = await startService();
  const two = await startService();
  for (const { env } of [one, two]) {
    expect(summaryOf(await world.run(['pets', 'import', path, '--json'], { env }))).toMatchObject({
      added: 1,
    });
  }
  const journal = journalsOf(world)[0] as string;
  const { env } = await startCannedServer(created);
  const run = await world.run(['pets', 'import', path, '--journal', journal], { env });
  expect(run.stderr).toContain('is the journal of another import');
  expect(run.exitCode).toBe(2);
});

test('an interrupted import waits for what is under way, and goes on with the same command', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(40));
  const held: (() => void)[] = [];
  const wire = await startRawServer((socket) => {
    const answer = () => socket.write(reply(201, created.body));
    if (wire.requests.length <= 10) answer();
    else held.push(answer);
  });
  const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
  const { end } = await world.start(['pets', 'import', path, '--json', '--concurrency', '4'], {
    env,
    until: waitUntil(() => held.length === 4),
  });
  const ending = end(interrupt);
  for (const answer of held.splice(0)) answer();
  const run = await ending;
  expect(run.exitCode).toBe(130);
  expect(summaryOf(run)).toMatchObject({ added: 14, inDoubt: 0, notSent: 26 });
  expect(JSON.parse(run.stderr.trim().split('\n').at(-1) as string).error).toMatchObject({
    message: 'ended by SIGINT',
    hint: `petstore pets import ${path} --concurrency 4 goes on where it stopped`,
  });
  expect(wire.requests).toHaveLength(14);
  const going = world.run(['pets', 'import', path, '--json'], { env });
  let over = false;
  void going.finally(() => {
    over = true;
  });
  while (!over) {
    for (const answer of held.splice(0)) answer();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(summaryOf(await going)).toMatchObject({ added: 26, skipped: 14, notSent: 0 });
  expect(wire.requests).toHaveLength(40);
  expect(new Set(wire.requests.map((text) => /"name":"(.*?)"/.exec(text)?.[1])).size).toBe(40);
});

test('a changed file is another import, and says so', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(3));
  const { env } = await startCannedServer(created, {
    status: 401,
    body: '{"code":"c","message":"m"}',
  });
  const first = await world.run(['pets', 'import', path, '--concurrency', '1'], { env });
  expect(first.exitCode).toBe(10);
  appendFileSync(path, 'One more,1\n');
  const second = await world.run(['pets', 'import', path], { env });
  expect(second.stderr).toContain(
    `pets.csv has changed since an import of it was not finished (${journalsOf(world)[0]})`,
  );
});

test('a changed file whose import was finished is a new import without a word', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(1));
  await world.run(['pets', 'import', path]);
  appendFileSync(path, 'One more,1\n');
  const { stderr } = await world.run(['pets', 'import', path]);
  expect(stderr).not.toContain('changed');
  expect(stderr).toContain('added 2,');
});

test('a journal that another process holds is left alone, and nothing is sent', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(3));
  const { env, requests } = await startCannedServer(created);
  const journal = join(world.home, 'pets.journal');
  writeFileSync(`${journal}.lock`, '1 test');
  const run = await world.run(['pets', 'import', path, '--journal', journal], { env });
  expect(run.stderr).toContain(`another petstore holds ${journal}.lock`);
  expect(run.exitCode).toBe(1);
  expect(requests).toHaveLength(0);
});

/** A service that resets the connection of some requests, by their number, once it has them. */
async function startResetting(resets: (number: number) => boolean) {
  const wire = await startRawServer((socket) => {
    if (resets(wire.requests.length)) socket.resetAndDestroy();
    else socket.write(reply(201, created.body));
  });
  const env = { PETSTORE_BASE_URL: `${wire.origin}/v1`, PETSTORE_API_KEY: 'pets_x123456789' };
  return { wire, env };
}

test('a row whose answer was lost is in doubt: listed, and never sent again by itself', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(6));
  const { wire, env } = await startResetting((number) => number === 3);
  const args = ['pets', 'import', path, '--concurrency', '1'];
  const first = await world.run(args, { env });
  expect(first.stderr).toContain('in doubt: line 4, Pet 3; it was sent, and is not sent again\n');
  expect(first.stderr).toContain('petstore pets list --all shows whether');
  expect(first.stderr).toContain('added 5, skipped 0, rejected 0, in doubt 1, not sent 0');
  expect(first.exitCode).toBe(10);
  const second = await world.run([...args, '--json'], { env });
  expect(summaryOf(second)).toMatchObject({
    added: 0,
    skipped: 5,
    inDoubt: 1,
    doubts: [{ line: 4, name: 'Pet 3' }],
  });
  expect(second.exitCode).toBe(10);
  expect(wire.requests).toHaveLength(6);
});

test('a service that loses every answer ends the import, with few rows in doubt', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(50));
  const { wire, env } = await startResetting(() => true);
  const run = await world.run(['pets', 'import', path, '--concurrency', '1', '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: 0, inDoubt: 5, notSent: 45 });
  expect(run.exitCode).toBe(9);
  expect(wire.requests).toHaveLength(5);
});

test.each([
  [500, '{"code":"c","message":"m","status":500}'],
  [302, ''],
  [200, 'not JSON'],
])('an answer %d puts its row in doubt', async (status, body) => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(2));
  const { env } = await startCannedServer(created, { status, body });
  const run = await world.run(['pets', 'import', path, '--concurrency', '1', '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: 1, inDoubt: 1 });
  expect(run.exitCode).toBe(10);
});

test('a 201 whose body cannot be read is an added pet', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(1));
  const { env } = await startCannedServer({ status: 201, body: 'not JSON' });
  const run = await world.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: 1 });
  expect(run.exitCode).toBe(0);
});

test.each([
  ['a key that is rejected', { status: 401, body: '{"code":"c","message":"m"}' }, 3],
  ['a key that may not', { status: 403, body: '{"code":"c","message":"m"}' }, 3],
  ['a path that is not there', { status: 404, body: '{"code":"c","message":"m"}' }, 4],
])(
  '%s ends the import: its exit code where nothing was added, else 10',
  async (_, answer, code) => {
    const world = createTestCli();
    const path = writeInput(world, 'pets.csv', csvOf(30));
    const refusing = await startCannedServer(answer);
    const none = await world.run(
      ['pets', 'import', path, '--json', '--concurrency', '2'],
      refusing,
    );
    expect(summaryOf(none)).toMatchObject({ added: 0, rejected: 0, inDoubt: 0, notSent: 30 });
    expect(none.exitCode).toBe(code);
    expect(refusing.requests.length).toBeLessThanOrEqual(2);
    const later = await startCannedServer(created, created, answer);
    const some = await world.run(['pets', 'import', path, '--json', '--concurrency', '1'], later);
    expect(summaryOf(some)).toMatchObject({ added: 2, notSent: 28 });
    expect(some.exitCode).toBe(10);
    expect(JSON.parse(some.stderr.trim().split('\n').at(-1) as string).error).toMatchObject({
      code: 'import_stopped',
      message: 'the import stopped: m',
      hint: `petstore pets import ${path} --concurrency 1 goes on where it stopped`,
    });
  },
);

test('nobody who listens ends the import with exit 8, and all is sent on resuming', async () => {
  const world = createFastTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(3));
  const { env } = await startCannedServer(created);
  const nobody = { ...env, PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' };
  const run = await world.run(['pets', 'import', path, '--json'], { env: nobody });
  expect(summaryOf(run)).toMatchObject({ added: 0, inDoubt: 0, notSent: 3 });
  expect(run.exitCode).toBe(8);
});

test('the command that resumes repeats what was chosen, ready for a shell', async () => {
  const world = createTestCli();
  const path = writeInput(world, "Ann's pets.txt", csvOf(2));
  const { env } = await startCannedServer(created, {
    status: 401,
    body: '{"code":"c","message":"m"}',
  });
  const journal = join(world.home, 'a.journal');
  const flags = ['--format', 'csv', '--journal', journal, '--concurrency', '1', '-p', 'staging'];
  const { stderr } = await world.run(['pets', 'import', path, ...flags], { env });
  const name = `'${world.home}/Ann'\\''s pets.txt'`;
  expect(stderr).toContain(
    `hint: petstore pets import ${name} --profile staging --format csv --journal ${journal} --concurrency 1 goes on`,
  );
});

test('a journal that a crash has torn is gone on with', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(4));
  const { env, requests } = await startCannedServer(created);
  await world.run(['pets', 'import', path, '--concurrency', '1'], { env });
  const journal = journalsOf(world)[0] as string;
  const lines = read(journal).split('\n');
  const cut = lines.findIndex((line) => line.startsWith('>3'));
  writeFileSync(journal, `${lines.slice(0, cut + 1).join('\n')}\n+3 1`);
  const run = await world.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: 1, skipped: 2, inDoubt: 1 });
  expect(requests).toHaveLength(5);
  rmSync(journal);
});

test('a file that changes while it is sent ends the import with its summary, and no hint to import it anew', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(5_000));
  let asked = 0;
  const { origin } = await startRawServer((socket) => {
    asked += 1;
    if (asked === 2) appendFileSync(path, 'Late,7\n');
    socket.write(reply(201, created.body));
  });
  const env = { PETSTORE_BASE_URL: `${origin}/v1`, PETSTORE_API_KEY: 'pets_canary_0123456789' };
  const run = await world.run(['pets', 'import', path, '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: asked, notSent: 5_000 - asked });
  expect(JSON.parse(run.stderr.trim().split('\n').at(-1) as string).error).toMatchObject({
    code: 'import_stopped',
    hint: 'once it is as it was, the same command goes on; a changed file is another import',
    exitCode: 10,
  });
});

test.each([405, 404, 401, 426])(
  'what refuses every row alike (%i) refuses none: the same command sends them later',
  async (status) => {
    const world = createTestCli();
    const path = writeInput(world, 'pets.csv', csvOf(3));
    const body = `{"code":"no","message":"no","status":${status}}`;
    const { env } = await startCannedServer({ status, body }, created);
    const args = ['pets', 'import', path, '--concurrency', '1', '--json'];
    expect(summaryOf(await world.run(args, { env }))).toMatchObject({ rejected: 0, notSent: 3 });
    const later = await world.run(args, { env });
    expect(summaryOf(later)).toMatchObject({ added: 3, rejected: 0 });
    expect(later.exitCode).toBe(0);
  },
);
