import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/canned-server.js';
import {
  addedPets,
  csvOf,
  journalsOf,
  read,
  summaryOf,
  writeInput,
} from '../../support/imports.js';
import { createTestCli } from '../../support/test-cli.js';

const csv = 'name,categoryId,status\nRex,1,sold\n=1+1,9223372036854775807,\n';
const json = '{"name":"Rex","categoryId":1,"status":"sold"}';
const formula = '{"name":"=1+1","categoryId":9223372036854775807}';
const utf16 = Buffer.from(`\ufeff${csv.replaceAll(',', '\t')}`, 'utf16le');

test.each<[string, string, string | Uint8Array]>([
  ['CSV', 'pets.csv', csv],
  [
    'CSV with other columns first',
    'pets.csv',
    'Status,Category ID,name\nsold,1,Rex\n,9223372036854775807,=1+1\n',
  ],
  [
    'CSV with a byte order mark and carriage returns',
    'pets.csv',
    `\ufeff${csv.replaceAll('\n', '\r\n')}`,
  ],
  ['CSV with semicolons', 'pets.csv', csv.replaceAll(',', ';')],
  ['CSV whose delimiter is named', 'pets.csv', `sep=;\n${csv.replaceAll(',', ';')}`],
  ['CSV with quotes', 'pets.csv', csv.replace(/[^,\n]+/g, '"$&"')],
  ['CSV as petstore writes it', 'pets.csv', csv.replace('=', "'=")],
  ['CSV with empty rows', 'pets.csv', csv.replaceAll('\n', '\n\n,,\n')],
  ['UTF-16 with tabs, as a spreadsheet writes it', 'pets.txt', utf16],
  ['a JSON array', 'pets.json', `\ufeff[${json},\n${formula}]`],
  ['NDJSON', 'pets.ndjson', `${json}\n\n${formula}\n`],
  ['NDJSON under its other name', 'pets.JSONL', `${json}\r\n${formula}`],
  ['CSV under no name', 'pets', `\n ${csv}`.trimStart()],
  ['a JSON array under no name', 'pets', `\n [${json},${formula}]`],
  ['NDJSON under no name', 'pets', `\n${json}\n${formula}\n`],
])('the pets of %s are added', async (_, name, content) => {
  const world = createTestCli();
  const input = writeInput(world, name, content);
  const run = await world.run(['pets', 'import', input, '--concurrency', '1', '--json']);
  expect(run.exitCode).toBe(0);
  expect(summaryOf(run)).toMatchObject({ added: 2, skipped: 0, rejected: 0, inDoubt: 0 });
  const { stdout } = await world.run(['pets', 'list', '--all', '-o', 'ndjson']);
  expect(stdout.split('\n').slice(72).sort()).toEqual([
    '',
    '{"id":73,"name":"Rex","categoryId":1,"status":"sold"}',
    '{"id":74,"name":"=1+1","categoryId":9223372036854775807}',
  ]);
});

test('--format is believed before a name', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.json', csv);
  expect(await world.run(['pets', 'import', path])).toMatchObject({ exitCode: 2 });
  const run = await world.run(['pets', 'import', path, '--format', 'csv', '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 2 });
});

test('standard input is checked first too, and nothing of it stays', async () => {
  const world = createTestCli();
  const bad = await world.run(['pets', 'import', '-'], { input: `${csv}Ace,x,\n` });
  expect(bad.stderr).toContain('line 4: categoryId must be');
  expect(bad.exitCode).toBe(2);
  const good = await world.run(['pets', 'import', '-', '--json'], { input: csv });
  expect(summaryOf(good)).toMatchObject({ added: 2 });
  const again = await world.run(['pets', 'import', '-', '--json'], { input: csv });
  expect(summaryOf(again)).toMatchObject({ added: 0, skipped: 2 });
  const state = join(world.home, '.local/state/petstore/imports');
  expect(readdirSync(state).filter((name) => !name.endsWith('.journal'))).toEqual([]);
});

test('all problems are told by line and field, and nothing is sent', async () => {
  const world = createTestCli();
  const { env, requests } = await startCannedServer({});
  const rows = [
    'Rex,1,sold',
    ' ,1,sold',
    'Ace,9223372036854775808,sold',
    'Ace,9.22E+18,solt',
    '"a\nb",,',
    'Ace',
    'Ace,1,',
  ];
  const path = writeInput(world, 'pets.csv', `name,categoryId,status\n${rows.join('\n')}\n`);
  const { stderr, stdout, exitCode } = await world.run(['pets', 'import', path], { env });
  expect(stderr.split('\n')).toEqual([
    'line 3: name must not be blank',
    'line 4: categoryId must be a 64-bit whole number, such as 1',
    'line 5: categoryId must be a 64-bit whole number, such as 1',
    'line 5: status must be one of available, pending, sold (did you mean "sold"?)',
    'line 6: categoryId must be a 64-bit whole number, such as 1',
    'line 8: categoryId must be a 64-bit whole number, such as 1',
    'error: 5 of 7 rows cannot be sent, and nothing was',
    '  hint: mend them, or pass --rejects FILE, which keeps them for later and sends the others',
    '',
  ]);
  expect({ stdout, exitCode, sent: requests.length }).toEqual({ stdout: '', exitCode: 2, sent: 0 });
  expect(journalsOf(world)).toEqual([]);
});

/** No service is asked. */
const nowhere = {
  PETSTORE_BASE_URL: 'https://store.example/v1',
  PETSTORE_API_KEY: 'pets_x123456789',
};

test('so are those of JSON, item by item', async () => {
  const world = createTestCli({ env: nowhere });
  const items = [
    '{"name":"Rex","categoryId":1}',
    '{"name":7}',
    '[1]',
    '{"name":"a","categoryId":"1"}',
    '{x}',
    '{"name":"\\ud800","categoryId":1.0}',
  ];
  const path = writeInput(world, 'pets.json', `[\n${items.join(',\n')}\n]`);
  const { stderr, exitCode } = await world.run(['pets', 'import', path]);
  expect(stderr.split('\n').slice(0, -3)).toEqual([
    'line 3: name must be text that is not blank',
    'line 3: categoryId must be a 64-bit whole number, such as 1',
    'line 4: row is not a JSON object',
    'line 5: categoryId must be a 64-bit whole number, such as 1',
    'line 6: row is not valid JSON',
    'line 7: name must be valid Unicode text',
    'line 7: categoryId must be a 64-bit whole number, such as 1',
  ]);
  expect(exitCode).toBe(2);
});

test('of very many problems the first thousand are told, and how many more there are', async () => {
  const world = createTestCli({ env: nowhere });
  const path = writeInput(world, 'pets.csv', csvOf(2_500, '').replaceAll('7', 'x'));
  const { stderr } = await world.run(['pets', 'import', path]);
  expect(stderr.split('\n')).toHaveLength(1_000 + 1 + 3);
  expect(stderr).toContain('and 1500 more problems\nerror: 2500 of 2500 rows cannot be sent');
});

test.each([
  ['an empty file', '', 'there is no header row'],
  ['no name', 'id,categoryId\n', 'the header row has no "name"'],
  [
    'a misspelt column',
    'name,categroyId\n',
    'the header row has "categroyId" where "categoryId" was meant',
  ],
  ['a column twice', 'name,categoryId,Name\n', 'the header row has "name" twice'],
  ['a quote that does not end', `${csv}"Rex,1,\n`, 'line 4 cannot be read: a quote is not closed'],
  [
    'another encoding',
    Buffer.from('name,categoryId\nRenée,1\n', 'latin1'),
    'it is neither UTF-8 nor UTF-16',
  ],
])('a table with %s is refused', async (_, content, message) => {
  const world = createTestCli();
  const run = await world.run(['pets', 'import', writeInput(world, 'pets.csv', content)]);
  expect(run.stderr).toContain(message);
  expect(run.exitCode).toBe(2);
});

test.each([
  ['is cut off', '[{"name":"Rex","categoryId":1}', 'it ends before its array does'],
  ['is no array', '{"name":"Rex","categoryId":1}', 'it is not one JSON array'],
  ['is followed by more', '[] []', 'it is not one JSON array'],
])('JSON that %s is refused', async (_, content, message) => {
  const world = createTestCli();
  const run = await world.run(['pets', 'import', writeInput(world, 'pets.json', content)]);
  expect(run.stderr).toContain(`the file cannot be read as JSON: ${message}`);
  expect(run.exitCode).toBe(2);
});

test('other columns are left out, with one notice', async () => {
  const world = createTestCli();
  const path = writeInput(
    world,
    'pets.csv',
    'id,name,state,categoryId,\n9,Rex,Ohio,1,x\n8,Ace,Iowa,1,y\n',
  );
  const { stderr, exitCode } = await world.run(['pets', 'import', path, '--dry-run']);
  expect(stderr).toBe(
    'left out what a new pet does not have: id, state\n' +
      'nothing was sent (--dry-run)\n' +
      'added 0, skipped 0, rejected 0, in doubt 0, not sent 2 · 0s · 0.0 a second\n',
  );
  expect(exitCode).toBe(0);
  const items = writeInput(
    world,
    'pets.json',
    '[{"id":1,"name":"Rex","categoryId":1,"tag":"\\u001b[2J"}]',
  );
  const run = await world.run(['pets', 'import', items, '--dry-run']);
  expect(run.stderr).toContain('left out what a new pet does not have: id, tag\n');
});

test.each([
  ['missing.csv', 'cannot be read: there is no such file'],
  ['', 'cannot be read: it is a directory'],
])('%j as input is exit 2', async (name, message) => {
  const world = createTestCli();
  const run = await world.run(['pets', 'import', join(world.home, name)]);
  expect(run.stderr).toContain(message);
  expect(run.exitCode).toBe(2);
});

test('a dry run checks and sends nothing, and needs no key', async () => {
  const world = createTestCli();
  const { env, requests } = await startCannedServer({});
  const path = writeInput(world, 'pets.csv', csv);
  const url = { PETSTORE_BASE_URL: env.PETSTORE_BASE_URL as string };
  const run = await world.run(['pets', 'import', path, '--dry-run', '--json'], { env: url });
  expect(summaryOf(run)).toEqual({
    added: 0,
    skipped: 0,
    rejected: 0,
    inDoubt: 0,
    notSent: 2,
    seconds: 0,
    rowsPerSecond: 0,
  });
  expect(requests).toHaveLength(0);
  expect(existsSync(join(world.home, '.local'))).toBe(false);
  const bad = writeInput(world, 'bad.csv', 'name,categoryId\n,1\n');
  expect((await world.run(['pets', 'import', bad, '--dry-run'], { env })).exitCode).toBe(2);
});

test('equal rows are two pets', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', 'name,categoryId\nRex,1\nRex,1\n');
  expect((await world.run(['pets', 'import', path])).exitCode).toBe(0);
  expect((await addedPets(world)).map(({ name }) => name)).toEqual(['Rex', 'Rex']);
});

test('no rows are an import too', async () => {
  const world = createTestCli();
  const run = await world.run(['pets', 'import', writeInput(world, 'pets.json', '[]'), '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 0, notSent: 0 });
  expect(run.exitCode).toBe(0);
});

test('the summary comes in words on stderr, or in a machine format on stdout', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csv);
  const words = await world.run(['pets', 'import', path]);
  expect(words.stdout).toBe('');
  expect(words.stderr).toMatch(
    /^added 2, skipped 0, rejected 0, in doubt 0, not sent 0 · \d+s · \d+\.\d a second$/m,
  );
  const [journal] = journalsOf(world);
  const machine = await world.run(['pets', 'import', path, '--json']);
  expect(Object.keys(summaryOf(machine))).toEqual([
    'added',
    'skipped',
    'rejected',
    'inDoubt',
    'notSent',
    'seconds',
    'rowsPerSecond',
    'journal',
  ]);
  expect(summaryOf(machine).journal).toBe(journal);
  const chosen = await world.run([
    'pets',
    'import',
    path,
    '-o',
    'csv',
    '--fields',
    'skipped,added',
  ]);
  expect(chosen.stdout).toBe('skipped,added\n2,0\n');
  const quiet = await world.run(['pets', 'import', path, '--quiet']);
  expect(quiet).toEqual({ stdout: '', stderr: '', exitCode: 0 });
});

test('a field that the summary does not have is refused before anything is sent', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csv);
  const run = await world.run(['pets', 'import', path, '--json', '--fields', 'id']);
  expect(run.exitCode).toBe(2);
  expect(journalsOf(world)).toEqual([]);
});

test.each(['0', '65', 'x'])('--concurrency %s is refused', async (value) => {
  const run = await createTestCli().run(['pets', 'import', 'x.csv', '--concurrency', value]);
  expect(run.stderr).toContain('--concurrency');
  expect(run.exitCode).toBe(2);
});

test('hostile text in a file reaches nobody’s terminal', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', 'name,categoryId,\u001b[2J\nRex,1,\n');
  const { stderr } = await world.run(['pets', 'import', path, '--dry-run']);
  expect(stderr).toContain('\\u001b[2J');
  expect(stderr).not.toContain('\u001b');
});

test('an input that cannot be read as its journal’s place is told, and nothing is sent', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.csv', csv);
  mkdirSync(join(world.home, 'folder'));
  const run = await world.run(['pets', 'import', path, '--journal', join(world.home, 'folder')]);
  expect(run.exitCode).toBe(2);
  const own = await world.run(['pets', 'import', path, '--journal', path]);
  expect(own.stderr).toContain('is not the journal of an import');
  expect(own.exitCode).toBe(2);
  expect(read(path)).toBe(csv);
});
