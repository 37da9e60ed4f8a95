import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeClock } from '../../../support/clock.js';
import { startCannedServer } from '../../../support/http-server.js';
import {
  addedPets,
  csvOf,
  journalsOf,
  read,
  startPetService,
  summaryOf,
  writeInput,
} from '../../../support/imports.js';
import { createTestCli } from '../../../support/test-cli.js';
import { interrupt } from '../../../support/test-client.js';

const longName = 'x'.repeat(201);
const created = { status: 201, body: '{"id":1,"name":"Rex","categoryId":7}' };
const rejected = { status: 400, body: '{"code":"bad","message":"no such pet","status":400}' };
const formula = { status: 400, body: '{"code":"=cmd|x","message":"m","status":400}' };
const unauthorized = { status: 401, body: '{"code":"c","message":"m"}' };

/** Rejects the second pet in the first run, which the third one stops, and the third pet in the next run. */
function rejectInTwoRuns(name: string, earlierRequests: number) {
  if (name === 'Pet 3' && earlierRequests === 0) return unauthorized;
  return name === 'Pet 2' || name === 'Pet 3' ? rejected : created;
}

test('rejects contain invalid and rejected rows, and can be imported after a fix', async () => {
  const cli = createTestCli();
  const rows = `n1;Rex;1;sold\n"n;""2""";;1;\nn3;${longName};1;\nn4;'=1+1;x\nn5;Ace;2;;\n`;
  const path = writeInput(cli, 'pets.csv', `note;name;categoryId;status\n${rows}`);
  const rejects = join(cli.home, 'rejects.csv');
  const run = await cli.run(['pets', 'import', path, '--rejects', rejects, '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 2, rejected: 3, notSent: 0 });
  expect(run.exitCode).toBe(10);
  expect(run.stderr).toContain('"code":"rows_not_added"');
  // The rows stand as in the input, after their reasons.
  expect(read(rejects).split('\n')).toEqual([
    'reason;note;name;categoryId;status',
    'name must not be blank;"n;""2""";;1;',
    expect.stringMatching(new RegExp(`^invalid_request: name.*;n3;${longName};1;$`)),
    "categoryId must be a 64-bit integer, such as 1;n4;'=1+1;x",
    '',
  ]);
  const fixed = read(rejects).replace('";;1', '";Bo;1').replace(longName, 'Cy').replace('1;x', '1;3');
  writeFileSync(rejects, fixed);
  const again = await cli.run(['pets', 'import', rejects, '--json']);
  expect(summaryOf(again)).toMatchObject({ added: 3, rejected: 0 });
  const names = (await addedPets(cli)).map(({ name }) => name);
  expect(names.sort()).toEqual(['=1+1', 'Ace', 'Bo', 'Cy', 'Rex']);
});

test.each([
  ['rejects.csv', 'name,categoryId,reason\nRex,1,name must not be blank\n'],
  ['rejects.ndjson', '{"name":"Rex","categoryId":1,"reason":"name must not be blank"}\n'],
])('%s is imported without a notice about its reasons', async (file, text) => {
  const cli = createTestCli();
  const run = await cli.run(['pets', 'import', writeInput(cli, file, text), '--dry-run']);
  expect(run.stderr).toBe('Nothing was sent (--dry-run).\n✓ Checked 1 row: no problems found\n');
});

test('a row with an unquoted comma can be imported once the user quotes the cell', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'a.csv', 'name,categoryId,status\nSmith, the dog,2,sold\nBo,007,,\n');
  const rejects = join(cli.home, 'b.csv');
  const run = await cli.run(['pets', 'import', path, '--rejects', rejects, '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 0, rejected: 2 });
  expect(read(rejects)).toContain('put quotes around a cell that contains a separator,Smith, the dog,2,sold\n');
  writeFileSync(rejects, read(rejects).replace('Smith, the dog', '"Smith, the dog"').replace('007', '7'));
  const again = await cli.run(['pets', 'import', rejects, '--json']);
  expect(summaryOf(again)).toMatchObject({ added: 2, rejected: 0 });
  expect(await addedPets(cli)).toMatchObject([{ name: 'Smith, the dog', status: 'sold' }, { name: 'Bo' }]);
});

test.each([
  [
    'pets.json',
    '[{"name":"","categoryId":9223372036854775807,"x":1.0},\n[1]]',
    '[\n{"name":"","categoryId":9223372036854775807,"x":1.0,"reason":"name must not be blank"},\n{"row":"[1]","reason":"row is not a JSON object"}\n]\n',
  ],
  [
    'pets.ndjson',
    '{"name":"","categoryId":1}\n{x\n',
    '{"name":"","categoryId":1,"reason":"name must not be blank"}\n{"row":"{x","reason":"row is not valid JSON"}\n',
  ],
  [
    'pets.csv with older reasons',
    'name,reason,categoryId\n,old,1\n',
    'reason,name,reason,categoryId\nname must not be blank,,old,1\n',
  ],
])('rejects of %s have the same format', async (name, content, kept) => {
  const cli = createTestCli();
  const rejects = join(cli.home, 'rejects');
  const path = writeInput(cli, name.replace(/ .*/, ''), content);
  const run = await cli.run(['pets', 'import', path, '--rejects', rejects]);
  expect(run.exitCode).toBe(10);
  expect(read(rejects)).toBe(kept);
});

test('no rejects file is left if no row is rejected', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(1));
  const run = await cli.run(['pets', 'import', path, '--rejects', join(cli.home, 'r.csv')]);
  expect(run.exitCode).toBe(0);
  expect(readdirSync(cli.home).filter((name) => name.includes('r.csv'))).toEqual([]);
});

test.each([
  ['an existing file', 'other.csv', [], 'other.csv already exists\n  hint: choose another name, or pass --force\n', 2],
  ['the input', 'pets.csv', [], '--rejects must not be the imported file', 2],
  ['a link to the input', 'link.csv', ['--force'], '--rejects must not be the imported file', 2],
  ['a path in a missing directory', 'missing/r.csv', [], 'no such directory', 1],
])('%s is not used for rejects, and nothing is sent', async (_, name, flags, message, exitCode) => {
  const cli = createTestCli();
  const { env, requests } = await startCannedServer(created);
  const path = writeInput(cli, 'pets.csv', csvOf(1));
  const other = writeInput(cli, 'other.csv', 'mine');
  symlinkSync(path, join(cli.home, 'link.csv'));
  const run = await cli.run(['pets', 'import', path, ...flags, '--rejects', join(cli.home, name)], { env });
  expect(run.stderr).toContain(message);
  expect([run.exitCode, requests.length, journalsOf(cli)]).toEqual([exitCode, 0, []]);
  expect([read(path), read(other)]).toEqual([csvOf(1), 'mine']);
});

test('a canceled import saves the rejected rows', async () => {
  const clock = fakeClock();
  const cli = createTestCli({ clock });
  const path = writeInput(cli, 'pets.csv', 'name,categoryId\n,1\nRex,1\n');
  const rejects = join(cli.home, 'rejects.csv');
  const { env, firstRequest } = await startCannedServer({ hang: true });
  const { end } = await cli.start(['pets', 'import', path, '--rejects', rejects], { env, until: firstRequest });
  const ending = end(interrupt);
  clock.advance(1_000);
  expect((await ending).stderr).toContain(`--rejects ${rejects} --force to resume`);
  expect(read(rejects)).toBe('reason,name,categoryId\nname must not be blank,,1\n');
});

test('the hint to resume has --force, which writes the rows of all runs', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(5));
  const rejects = join(cli.home, 'rejects.csv');
  const { env } = await startPetService(rejectInTwoRuns);
  const args = ['pets', 'import', path, '--rejects', rejects, '--json'];
  const first = await cli.run(args, { env });
  expect(summaryOf(first)).toMatchObject({ added: 3, rejected: 1, notSent: 1 });
  expect(first.stderr).toContain(`--rejects ${rejects} --force`);
  expect(read(rejects).split('\n')).toHaveLength(3);
  expect((await cli.run(args, { env })).exitCode).toBe(2);
  const second = await cli.run([...args, '--force'], { env });
  expect(summaryOf(second)).toMatchObject({ added: 0, skipped: 3, rejected: 2, notSent: 0 });
  expect(read(rejects)).toBe(
    'reason,name,categoryId\nbad: no such pet (HTTP 400),Pet 2,7\nbad: no such pet (HTTP 400),Pet 3,7\n',
  );
});

test('a resumed import that stops saves the rejected rows that it has not sent again', async () => {
  const cli = createTestCli();
  const { env } = await startPetService((_, earlier) => (earlier === 0 ? rejected : unauthorized));
  const rejects = join(cli.home, 'rejects.csv');
  const path = writeInput(cli, 'pets.csv', csvOf(40));
  const args = ['pets', 'import', path, '--rejects', rejects, '--force', '--json'];
  expect(summaryOf(await cli.run(args, { env }))).toMatchObject({ rejected: 40, notSent: 0 });
  const { rejected: count, notSent } = summaryOf(await cli.run(args, { env })) as Record<string, number>;
  // No more than 24 rows are in flight.
  expect(notSent).toBeLessThanOrEqual(24);
  expect(count).toBe(40 - (notSent ?? 0));
  expect(read(rejects).match(/^bad: no such pet/gm)).toHaveLength(count ?? 0);
});

test('a quiet run lists the rows that the service rejects, and a resumed run lists them again', async () => {
  const cli = createTestCli();
  const { env } = await startPetService(rejectInTwoRuns);
  const args = ['pets', 'import', writeInput(cli, 'pets.csv', csvOf(4)), '--quiet'];
  const first = await cli.run(args, { env });
  expect(linesAbout(first)).toEqual(['line 3: Pet 2 was rejected: bad: no such pet (HTTP 400)']);
  const second = await cli.run(args, { env });
  expect(linesAbout(second)).toEqual([
    'line 3: Pet 2 was rejected: bad: no such pet (HTTP 400)',
    'line 4: Pet 3 was rejected: bad: no such pet (HTTP 400)',
  ]);
});

test('rejected rows of a JSON array on one line are listed by the number of the row', async () => {
  const cli = createTestCli();
  const { env } = await startPetService((name) => (name === 'Rex' ? created : rejected));
  const pet = (name: string) => ({ name, categoryId: 7 });
  const path = writeInput(cli, 'pets.json', JSON.stringify([pet('Ada'), pet('Rex'), pet('Tom')]));
  const { stderr } = await cli.run(['pets', 'import', path], { env });
  expect(stderr.split('\n').filter((line) => line.startsWith('row '))).toEqual([
    'row 1 (line 1): Ada was rejected: bad: no such pet (HTTP 400)',
    'row 3 (line 1): Tom was rejected: bad: no such pet (HTTP 400)',
  ]);
});

/** Returns the lines on stderr that name a line of the file. */
function linesAbout({ stderr }: { readonly stderr: string }): readonly string[] {
  return stderr.split('\n').filter((line) => line.startsWith('line '));
}

test('the summary in JSON has the rows that the service rejected', async () => {
  const cli = createTestCli();
  const { env } = await startCannedServer(rejected);
  const path = writeInput(cli, 'pets.csv', csvOf(2).replace('Pet 1,7', ',7'));
  const run = await cli.run(['pets', 'import', path, '--rejects', join(cli.home, 'r.csv'), '--json'], { env });
  const rejectedRows = [{ line: 3, name: 'Pet 2', reason: 'bad: no such pet (HTTP 400)' }];
  expect(summaryOf(run)).toMatchObject({ added: 0, rejected: 2, rejectedRows });
  expect(linesAbout(run)).toEqual(['line 2: name must not be blank', expect.stringContaining('line 3: Pet 2 was')]);
});

test('the hint names the rejects file, whose reasons no spreadsheet runs as formulas', async () => {
  const cli = createTestCli();
  const { env } = await startPetService((name) => (name === 'Pet 2' ? formula : created));
  const args = ['pets', 'import', writeInput(cli, 'pets.csv', csvOf(2))];
  const first = await cli.run(args, { env });
  expect(first.stderr).toMatch(/^Added 1 pet to \S+, 1 rejected · /m);
  expect(first.stderr).toContain(
    'rows were not added: 1 rejected\n  hint: run the same command with --rejects <file> to save the rejected rows\n',
  );
  const rejects = join(cli.home, 'rejects.csv');
  const second = await cli.run([...args, '--rejects', rejects], { env });
  expect(second.stderr).toContain(
    `hint: fix the rejected rows, then run petstore pets import ${rejects} --base-url ${env.PETSTORE_BASE_URL}\n`,
  );
  expect(read(rejects)).toBe("reason,name,categoryId\n'=cmd|x: m (HTTP 400),Pet 2,7\n");
});
