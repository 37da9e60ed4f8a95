import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareImports } from '../../../../src/commands/pets/import/compare-imports.js';
import { startCannedServer } from '../../../support/canned-server.js';
import { addedPets, csvOf, journalsOf, startPetService, summaryOf, writeInput } from '../../../support/imports.js';
import { createTestCli } from '../../../support/test-cli.js';
import { startService } from '../../../support/test-service.js';

const header = 'name,categoryId\n';
const json = (name: string) => `{"name":"${name}","categoryId":1}`;

test.each([
  ['CSV', 'a.csv', `${header}Rex,1\nTom,2\n`, `${header}Rex,1\nTom,2\nAda,3\nLuna,4\n`],
  ['CSV without a final newline', 'a.csv', `${header}Rex,1\nTom,2`, `${header}Rex,1\nTom,2\nAda,3\nLuna,4`],
  [
    'CSV with other line endings and quotes',
    'a.csv',
    `${header}Rex,1\nTom,2\n`,
    '\ufeffname,categoryId\r\n"Rex",1\r\nTom,2\r\nAda,3\r\nLuna,4',
  ],
  ['a JSON array', 'a.json', `[${json('Rex')}]`, `[${json('Rex')},\n${json('Ada')},${json('Tom')}]`],
  ['NDJSON', 'a.ndjson', `${json('Rex')}\n`, `${json('Rex')}\n${json('Ada')}\n${json('Tom')}\n`],
])('imports only the rows that were appended to %s', async (_, name, before, after) => {
  const cli = createTestCli();
  const path = writeInput(cli, name, before);
  const first = summaryOf(await cli.run(['pets', 'import', path, '--json']));
  writeFileSync(path, after);
  const run = await cli.run(['pets', 'import', path, '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 2, skipped: first.added });
  expect(run.stderr).toContain(`2 rows were appended to ${path} since its import. Only appended rows are added.\n`);
  const again = await cli.run(['pets', 'import', path]);
  expect(again.stderr).toContain('This file was already imported.');
  appendFileSync(path, name === 'a.json' ? ' ' : '\n');
  expect((await cli.run(['pets', 'import', path])).stderr).toContain('This file was already imported.');
  expect(journalsOf(cli)).toHaveLength(1);
});

test('an import with appended rows continues the longest earlier import', async () => {
  const earlier = [2, 4, 3].map((rows) => ({
    path: `${rows}.journal`,
    header: {
      account: 'a1',
      digest: `d${rows}`,
      format: 'csv',
      name: 'a.csv',
      origin: 'https://store.example',
      boot: 'b1',
      keyPrefix: 'k1',
      rows,
      rowsDigest: `r${rows}`,
    },
    headers: [],
    isFinished: true,
  }));
  const digestRows = async (counts: ReadonlySet<number>) => new Map([...counts].map((count) => [count, `r${count}`]));
  const relation = await compareImports(
    { account: 'a1', isStream: false, format: 'csv', rows: 5, source: { name: 'a.csv', digest: 'd5' } },
    earlier,
    digestRows,
  );
  expect(relation).toEqual({ kind: 'same', earlier: earlier[1] });
});

test('other rows on standard input are imported without a question', async () => {
  const cli = createTestCli();
  const importInput = async (input: string) => summaryOf(await cli.run(['pets', 'import', '-', '--json'], { input }));
  expect(await importInput(`${header}Rex,1\nTom,2\n`)).toMatchObject({ added: 2 });
  expect(await importInput(`[${json('Ada')}]`)).toMatchObject({ added: 1, skipped: 0 });
  expect(await importInput(`${header}Luna,1\n`)).toMatchObject({ added: 1, skipped: 0 });
  expect(await importInput(`${header}Rex,1\nTom,2\nAce,3\n`)).toMatchObject({ added: 1, skipped: 2 });
});

test('an import finds the earlier import of its rows under each file name', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'a.csv', csvOf(3));
  const copies = ['b.csv', 'c.csv'].map((name) => join(cli.home, name));
  await cli.run(['pets', 'import', path]);
  for (const copy of copies) {
    copyFileSync(path, copy);
    expect((await cli.run(['pets', 'import', copy])).stderr).toContain('This file was already imported.');
  }
  const append = async (file: string, row: string) => {
    appendFileSync(file, `${row}\n`);
    return cli.run(['pets', 'import', file, '--json']);
  };
  expect(summaryOf(await append(path, 'Appended,1'))).toMatchObject({ added: 1, skipped: 3 });
  expect(summaryOf(await append(path, 'Another,1'))).toMatchObject({ added: 1, skipped: 4 });
  for (const copy of copies) {
    const changed = await append(copy, 'Other,1');
    expect(changed.stderr).toContain('changed since its import');
    expect(changed.exitCode).toBe(2);
  }
});

test('rows that are appended to a copy of an imported file are all that is imported', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'a.csv', csvOf(3));
  const copy = join(cli.home, 'b.csv');
  await cli.run(['pets', 'import', path]);
  copyFileSync(path, copy);
  await cli.run(['pets', 'import', copy]);
  appendFileSync(copy, 'Appended,1\n');
  expect(summaryOf(await cli.run(['pets', 'import', copy, '--json']))).toMatchObject({ added: 1, skipped: 3 });
});

test.each([[[]], [['b.csv']], [['b.csv', 'b.csv']]])(
  'a copy from before rows were appended adds nothing (%j imported between)',
  async (between) => {
    const cli = createTestCli();
    const path = writeInput(cli, 'a.csv', csvOf(2));
    const copy = writeInput(cli, 'b.csv', csvOf(2));
    await cli.run(['pets', 'import', path]);
    for (const _ of between) await cli.run(['pets', 'import', copy]);
    appendFileSync(path, 'C,3\n');
    const appended = await cli.run(['pets', 'import', path]);
    expect(appended.stderr).toContain('1 row was appended');
    for (const each of [copy, path, copy]) {
      const run = await cli.run(['pets', 'import', each]);
      expect(run.stderr).toContain('Added 0 pets to sandbox');
      expect(run.stderr).not.toContain('changed since');
    }
    expect(await addedPets(cli)).toHaveLength(3);
    expect(journalsOf(cli)).toHaveLength(1);
  },
);

test('a copy from before rows were appended resumes their unfinished import, and leaves the appended rows', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'a.csv', csvOf(2));
  const copy = writeInput(cli, 'b.csv', csvOf(2));
  await cli.run(['pets', 'import', path]);
  appendFileSync(path, csvOf(70).replace(/^.*\n/, ''));
  const { stderr, exitCode } = await cli.run(['pets', 'import', path, '--max-wait', '0']);
  expect([exitCode, stderr]).toEqual([10, expect.stringContaining('Added 58 pets')]);
  expect((await cli.run(['pets', 'import', copy, '--max-wait', '0'])).stderr).toContain('Added 0 pets');
  const again = await cli.run(['pets', 'import', path, '--max-wait', '0', '--json']);
  expect(summaryOf(again)).toMatchObject({ added: 0, skipped: 60, notSent: 12 });
});

test('an unfinished import is resumed with the rows that were appended', async () => {
  const cli = createTestCli();
  const created = { status: 201, body: '{"id":1,"name":"Pet","categoryId":7}' };
  const stop = { status: 401, body: '{"code":"c","message":"m"}' };
  const { env, requests } = await startPetService((name, earlier) => (name === 'Pet 2' && !earlier ? stop : created));
  const path = writeInput(cli, 'pets.csv', csvOf(3));
  const args = ['pets', 'import', path];
  expect((await cli.run(args, { env })).exitCode).toBe(10);
  appendFileSync(path, 'One more,1\n');
  const run = await cli.run([...args, '--json'], { env });
  expect(run.stderr).toContain(
    `1 row was appended to ${path} since its import. The import is resumed with these rows.\n`,
  );
  expect(summaryOf(run)).toMatchObject({ added: 2, skipped: 2 });
  const names = requests.map(({ body }) => JSON.parse(body).name);
  expect(names.sort()).toEqual(['One more', 'Pet 1', 'Pet 2', 'Pet 2', 'Pet 3']);
});

test('a journal in --journal is continued for appended rows', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(3));
  const args = ['pets', 'import', path, '--json', '--journal', join(cli.home, 'my.journal')];
  await cli.run(args);
  appendFileSync(path, 'One more,1\n');
  expect(summaryOf(await cli.run(args))).toMatchObject({ added: 1, skipped: 3 });
  writeFileSync(path, csvOf(3, 'Other'));
  const changed = await cli.run(args);
  expect(changed.exitCode).toBe(2);
  expect(changed.stderr).toContain('is the journal of another import');
});

test.each([
  ['a changed row', `${header}Rex,1\nTim,2\nAda,3\n`],
  ['a longer last row', `${header}Rex,1\nTom,22\n`],
  ['a removed row', `${header}Rex,1\n`],
  ['another header', 'name,categoryId,status\nRex,1\nTom,2\nAda,3\n'],
  ['other rows', csvOf(5)],
])('a file with %s is imported again only with --yes or a new journal', async (_, after) => {
  const cli = createTestCli();
  const { env, statuses } = await startService();
  const path = writeInput(cli, 'pets.csv', `${header}Rex,1\nTom,2`);
  await cli.run(['pets', 'import', path], { env });
  writeFileSync(path, after);
  for (const flags of [[], ['--json'], []]) {
    const refused = await cli.run(['pets', 'import', path, ...flags], { env });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(`${path} changed since its import`);
    if (flags.length > 0) continue;
    expect(refused.stderr).toBe(
      `error: ${path} changed since its import\n  hint: pass --yes to import all rows, or pass --journal with a new file name\n`,
    );
  }
  expect(statuses).toHaveLength(2);
  const rows = after.trim().split('\n').length - 1;
  const other = await cli.run(['pets', 'import', path, '--json', '--journal', join(cli.home, 'new')], { env });
  expect(summaryOf(other)).toMatchObject({ added: rows, skipped: 0 });
  const run = await cli.run(['pets', 'import', path, '--yes'], { env });
  expect(run.stderr).toContain(`! ${path} changed since its import. The same pets may be added again.\n`);
  expect(run.stderr).toMatch(new RegExp(`Added ${rows} pets? to `));
  const again = await cli.run(['pets', 'import', path], { env });
  expect(again.stderr).toContain('This file was already imported.');
});

test('a changed file whose import sent nothing is imported without a question', async () => {
  const cli = createTestCli();
  const { env } = await startCannedServer({ status: 401, body: '{"code":"c","message":"m"}' });
  const path = writeInput(cli, 'pets.csv', csvOf(3));
  await cli.run(['pets', 'import', path], { env });
  writeFileSync(path, csvOf(2, 'Other'));
  const service = await startService();
  const key = { ...env, PETSTORE_BASE_URL: service.baseUrl, PETSTORE_API_KEY: service.env.PETSTORE_API_KEY as string };
  expect(summaryOf(await cli.run(['pets', 'import', path, '--json'], { env: key }))).toMatchObject({ added: 2 });
});

test('content that was imported with another API key is imported again only with --yes', async () => {
  const cli = createTestCli();
  const created = { status: 201, body: '{"id":1,"name":"Pet","categoryId":7}' };
  const { env, requests } = await startCannedServer(created);
  const path = writeInput(cli, 'pets.csv', csvOf(2));
  await cli.run(['pets', 'import', path], { env });
  const copy = join(cli.home, 'copy.csv');
  copyFileSync(path, copy);
  const other = { ...env, PETSTORE_API_KEY: 'pets_other_0123456789' };
  const refused = await cli.run(['pets', 'import', copy], { env: other });
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toMatch(
    /error: the content of .*copy\.csv was imported to this service with another API key\n/,
  );
  expect(requests).toHaveLength(2);
  const run = await cli.run(['pets', 'import', copy, '--yes', '--json'], { env: other });
  expect(run.stderr).toContain('with another API key. The same pets may be added again.');
  expect(summaryOf(run)).toMatchObject({ added: 2 });
  const elsewhere = await startCannedServer(created);
  const there = await cli.run(['pets', 'import', path, '--json'], { env: elsewhere.env });
  expect(summaryOf(there)).toMatchObject({ added: 2 });
});

test('a journal contains no row of the input', async () => {
  const cli = createTestCli();
  await cli.run(['pets', 'import', writeInput(cli, 'pets.csv', csvOf(2, 'Secret'))]);
  expect(readFileSync(journalsOf(cli)[0] as string, 'utf8')).not.toContain('Secret');
});
