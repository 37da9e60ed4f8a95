import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../../support/canned-server.js';
import { addedPets, csvOf, read, summaryOf, writeInput } from '../../../support/imports.js';
import { createTestCli } from '../../../support/test-cli.js';

const long = 'x'.repeat(201);
const created = { status: 201, body: '{"id":1,"name":"Rex","categoryId":7}' };
const refused = { status: 400, body: '{"code":"bad","message":"no such pet","status":400}' };

test('rows that cannot be sent and rows that the service refuses are kept, ready to be mended', async () => {
  const world = createTestCli();
  const path = writeInput(
    world,
    'pets.csv',
    `note;name;categoryId;status\nn1;Rex;1;sold\n"n;""2""";;1;\nn3;${long};1;\nn4;'=1+1;x\nn5;Ace;2;;\n`,
  );
  const rejects = join(world.home, 'rejects.csv');
  const run = await world.run(['pets', 'import', path, '--rejects', rejects, '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 2, rejected: 3, notSent: 0 });
  expect(run.exitCode).toBe(10);
  expect(JSON.parse(run.stderr.trim().split('\n').at(-1) as string).error).toMatchObject({
    code: 'rows_not_added',
  });
  expect(read(rejects).split('\n')).toEqual([
    'note,name,categoryId,status,reason',
    '"n;""2""",,1,,name must not be blank',
    expect.stringMatching(new RegExp(`^n3,${long},1,,invalid_request: name`)),
    'n4,\'=1+1,x,,"categoryId must be a 64-bit whole number, such as 1"',
    '',
  ]);
  const mended = read(rejects)
    .replace(',1,,name', ',1,,')
    .replace(',,1', ',Bo,1')
    .replace(long, 'Cy')
    .replace(',x,', ',3,');
  writeFileSync(rejects, mended);
  const again = await world.run(['pets', 'import', rejects, '--json']);
  expect(summaryOf(again)).toMatchObject({ added: 3, rejected: 0 });
  const names = (await addedPets(world)).map(({ name }) => name);
  expect(names.sort()).toEqual(['=1+1', 'Ace', 'Bo', 'Cy', 'Rex']);
});

test('a row that fell apart at a comma is kept with all its cells', async () => {
  const world = createTestCli();
  const path = writeInput(
    world,
    'a.csv',
    'name,categoryId\nSmith, J,3\nRex,1,sold\nBo,007\nAce,1,,\n',
  );
  const rejects = join(world.home, 'b.csv');
  const run = await world.run(['pets', 'import', path, '--rejects', rejects, '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 1, rejected: 3 });
  const [, smith, rex, bo] = read(rejects).split('\n');
  expect(smith).toMatch(/^Smith, J,"?row has 3 cells where the header has 2.*,3$/);
  expect(rex).toBe('Rex,1,row has 3 cells where the header has 2,sold');
  expect(bo).toBe('Bo,007,"categoryId must be a 64-bit whole number, such as 1"');
});

test('rejects of rejects have one reason', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'a.csv', 'name,reason,categoryId\n,old,1\n');
  const rejects = join(world.home, 'b.csv');
  await world.run(['pets', 'import', path, '--rejects', rejects]);
  expect(read(rejects)).toBe('name,categoryId,reason\n,1,name must not be blank\n');
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
])('rejects of %s have its format', async (name, content, kept) => {
  const world = createTestCli();
  const rejects = join(world.home, 'rejects');
  const run = await world.run([
    'pets',
    'import',
    writeInput(world, name, content),
    '--rejects',
    rejects,
  ]);
  expect(run.exitCode).toBe(10);
  expect(read(rejects)).toBe(kept);
});

test('where nothing is rejected there is no file', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(1));
  const run = await world.run(['pets', 'import', path, '--rejects', join(world.home, 'r.csv')]);
  expect(run.exitCode).toBe(0);
  expect(readdirSync(world.home).filter((name) => name.includes('r.csv'))).toEqual([]);
});

test.each([
  ['a file that is there', 'other.csv'],
  ['the input', 'pets.csv'],
  ['the input by another name', './pets.csv'],
])('%s is not made the rejects: nothing is sent, and it stays', async (_, name) => {
  const world = createTestCli();
  const { env, requests } = await startCannedServer(created);
  const path = writeInput(world, 'pets.csv', csvOf(1));
  writeInput(world, 'other.csv', 'mine');
  const rejects = `${world.home}/${name}`;
  const run = await world.run(['pets', 'import', path, '--rejects', rejects], { env });
  expect(run.exitCode).toBe(2);
  expect(run.stderr).not.toContain('--force');
  expect(requests).toHaveLength(0);
  expect(read(path)).toBe(csvOf(1));
  expect(read(join(world.home, 'other.csv'))).toBe('mine');
});

test('rejects grow when the import goes on', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(5));
  const rejects = join(world.home, 'rejects.csv');
  const stop = { status: 401, body: '{"code":"c","message":"m"}' };
  const { env } = await startCannedServer(created, refused, stop, refused, created);
  const args = ['pets', 'import', path, '--rejects', rejects, '--concurrency', '1', '--json'];
  const first = await world.run(args, { env });
  expect(summaryOf(first)).toMatchObject({ added: 1, rejected: 1, notSent: 3 });
  expect(read(rejects).split('\n')).toHaveLength(3);
  const second = await world.run(args, { env });
  expect(summaryOf(second)).toMatchObject({ added: 2, skipped: 1, rejected: 2, notSent: 0 });
  expect(read(rejects)).toBe(
    'name,categoryId,reason\nPet 2,7,bad: no such pet\nPet 3,7,bad: no such pet\n',
  );
  writeFileSync(rejects, 'mended');
  const third = await world.run(args, { env });
  expect(third.exitCode).toBe(10);
  expect(read(rejects)).toBe('mended');
});

test('a file that somebody made since an interruption is kept', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csvOf(3));
  const stop = { status: 401, body: '{"code":"c","message":"m"}' };
  const { env, requests } = await startCannedServer(created, stop);
  const args = ['pets', 'import', path, '--concurrency', '1'];
  await world.run(args, { env });
  const rejects = writeInput(world, 'rejects.csv', 'mine');
  const run = await world.run([...args, '--rejects', rejects], { env });
  expect(run.exitCode).toBe(2);
  expect(read(rejects)).toBe('mine');
  expect(requests).toHaveLength(2);
});

test('a rejects file that cannot be made ends the import before anything is sent', async () => {
  const world = createTestCli();
  const { env, requests } = await startCannedServer(created);
  const path = writeInput(world, 'pets.csv', csvOf(1));
  const rejects = join(world.home, 'missing/r.csv');
  const run = await world.run(['pets', 'import', path, '--rejects', rejects], { env });
  expect(run.exitCode).toBe(1);
  expect(requests).toHaveLength(0);
  expect(existsSync(join(world.home, 'missing'))).toBe(false);
});

test('a reason that a spreadsheet would run is kept from it', async () => {
  const world = createTestCli();
  const body = '{"code":"=cmd|x","message":"m","status":400}';
  const { env } = await startCannedServer({ status: 400, body });
  const rejects = join(world.home, 'r.csv');
  const path = writeInput(world, 'pets.csv', csvOf(1));
  await world.run(['pets', 'import', path, '--rejects', rejects], { env });
  expect(read(rejects)).toContain(",'=cmd|x: m\n");
});
