import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/http-server.js';
import { addedPets, csvOf, journalsOf, summaryOf, writeInput } from '../../support/imports.js';
import { createTestCli } from '../../support/test-cli.js';

const csv = 'name,categoryId,status\nRex,1,sold\n=1+1,9223372036854775807,\n';
const json = '{"name":"Rex","categoryId":1,"status":"sold"}';
const formula = '{"name":"=1+1","categoryId":9223372036854775807}';
const utf16 = Buffer.from(`\ufeff${csv.replaceAll(',', '\t')}`, 'utf16le');
const otherColumns = 'status, categoryId,name\nsold,1,Rex\n,9223372036854775807,=1+1\n';

test.each<[string, string, string | Uint8Array]>([
  ['CSV', 'pets.csv', csv],
  ['CSV with columns in another order', 'pets.csv', otherColumns],
  ['CSV with semicolons', 'pets.csv', `\ufeff${csv.replaceAll(',', ';')}`],
  ['CSV as petstore writes it', 'pets.csv', csv.replace('=', "'=")],
  ['CSV with blank rows', 'pets.csv', csv.replaceAll('\n', '\n\n,,\n')],
  ['UTF-16 with tabs', 'pets.txt', utf16],
  ['a JSON array', 'pets.json', `\ufeff[${json},\n${formula}]`],
  ['NDJSON', 'pets.ndjson', `${json}\n\n${formula}\n`],
  ['a .jsonl file', 'pets.JSONL', `${json}\r\n${formula}`],
  ['CSV without a file extension', 'pets', `\n ${csv}`.trimStart()],
  ['a JSON array without a file extension', 'pets', `\n [${json},${formula}]`],
  ['NDJSON without a file extension', 'pets', `\n${json}\n${formula}\n`],
])('imports %s', async (_, name, content) => {
  const cli = createTestCli();
  const input = writeInput(cli, name, content);
  const run = await cli.run(['pets', 'import', input, '--json']);
  expect(run.exitCode).toBe(0);
  expect(summaryOf(run)).toMatchObject({ added: 2, skipped: 0, rejected: 0, unknown: 0 });
  const { stdout } = await cli.run(['pets', 'list', '--all', '-o', 'ndjson']);
  const added = stdout
    .trimEnd()
    .split('\n')
    .slice(72)
    .map((line) => line.replace(/"id":7[34],/, ''));
  expect(added.sort()).toEqual([
    '{"name":"=1+1","categoryId":9223372036854775807}',
    '{"name":"Rex","categoryId":1,"status":"sold"}',
  ]);
});

test('--format overrides the file extension', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.json', csv);
  expect(await cli.run(['pets', 'import', path])).toMatchObject({ exitCode: 2 });
  const run = await cli.run(['pets', 'import', path, '--format', 'csv', '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 2 });
});

test('standard input is checked before anything is sent', async () => {
  const cli = createTestCli();
  const invalid = await cli.run(['pets', 'import', '-', '--json'], { input: `${csv}Ace,x,\n` });
  expect(invalid.stderr).toContain('line 4: categoryId must be');
  expect(invalid.exitCode).toBe(2);
});

test('every problem of a table is reported by line and field before any request', async () => {
  const cli = createTestCli();
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
  const path = writeInput(cli, 'pets.csv', `name,categoryId,status\n${rows.join('\n')}\n`);
  const { stderr, stdout, exitCode } = await cli.run(['pets', 'import', path], { env });
  expect(stderr.split('\n')).toEqual([
    'line 3: name must not be blank',
    'line 4: categoryId must be a 64-bit integer, such as 1',
    'line 5: categoryId must be a 64-bit integer, such as 1; status must be one of available, pending, sold (did you mean "sold"?)',
    'line 6: categoryId is missing',
    'line 8: categoryId is missing',
    'error: 5 of 7 rows are invalid; nothing was imported',
    '  hint: fix the file, or pass --rejects <file> to import the valid rows',
    '',
  ]);
  expect({ stdout, exitCode, sent: requests.length }).toEqual({ stdout: '', exitCode: 2, sent: 0 });
  expect(journalsOf(cli)).toEqual([]);
});

/** A service that no test contacts. */
const nowhere = {
  PETSTORE_BASE_URL: 'https://store.example/v1',
  PETSTORE_API_KEY: 'pets_x123456789',
};

test('every problem of a JSON array is reported by row, line and field', async () => {
  const cli = createTestCli({ env: nowhere });
  const items = [
    '{"name":"Rex","categoryId":1}',
    '{"name":7,"category_id":1}',
    '[1]',
    '{"name":"a","categoryId":"1"}',
    '{x}',
    '{"name":"\\ud800","categoryId":1.0}',
    '{"name":"a","category":{"id":1}}',
    '{"name":"a","category":"dogs"}',
  ];
  const path = writeInput(cli, 'pets.json', `[\n${items.join(',\n')}\n]`);
  const { stderr, exitCode } = await cli.run(['pets', 'import', path]);
  expect(stderr.split('\n').slice(0, -3)).toEqual([
    'Ignored unknown fields: category_id, category.',
    'row 2 (line 3): name must be a non-blank string; categoryId is missing',
    'row 3 (line 4): row is not a JSON object',
    'row 4 (line 5): categoryId must be a number: remove the quotes',
    'row 5 (line 6): row is not valid JSON',
    'row 6 (line 7): name must be valid Unicode text; categoryId must be a 64-bit integer, such as 1',
    'row 7 (line 8): categoryId is missing',
    'row 8 (line 9): categoryId is missing',
  ]);
  expect(exitCode).toBe(2);
});

test('--quiet still prints every problem, but no notice', async () => {
  const cli = createTestCli({ env: nowhere });
  const path = writeInput(cli, 'pets.csv', 'name,categoryId,tag\n,1,x\nRex,y,x\n');
  const { stderr } = await cli.run(['pets', 'import', path, '--quiet']);
  expect(stderr.split('\n').slice(0, 3)).toEqual([
    'line 2: name must not be blank',
    'line 3: categoryId must be a 64-bit integer, such as 1',
    'error: 2 of 2 rows are invalid; nothing was imported',
  ]);
});

test('every invalid row is listed, however many there are', async () => {
  const cli = createTestCli({ env: nowhere });
  const path = writeInput(cli, 'pets.csv', csvOf(2_500, '').replaceAll('7', 'x'));
  const { stderr } = await cli.run(['pets', 'import', path]);
  expect(stderr.split('\n')).toHaveLength(2_500 + 3);
  expect(stderr).toContain('error: 2,500 of 2,500 rows are invalid; nothing was imported');
});

const latin1 = Buffer.from('name,categoryId\nRenée,1\n', 'latin1');

test.each([
  ['an empty file', 'a.csv', '', 'the CSV has no header row'],
  ['a file without a name column', 'a.csv', 'id,categoryId\n', 'the header row has no "name" column'],
  ['a file with a misspelled column', 'a.csv', 'name,categroyId\n', 'the header row has no "categoryId" column'],
  ['a file with a repeated column', 'a.csv', 'name,categoryId,name\n', 'the header row has two "name" columns'],
  ['a file with an open quote', 'a.csv', `${csv}"Rex,1,\n`, 'invalid CSV at line 4: unclosed quote'],
  ['a YAML file', 'a.yaml', '- name: Rex\n', 'cannot import YAML: '],
  ['a file in another encoding', 'a.csv', latin1, 'not UTF-8 or UTF-16 text'],
  ['a file of truncated JSON', 'a.json', `[${json}`, 'invalid JSON in '],
  ['a file with text after the array', 'a.json', `[${json}] x`, 'a.json: expected one array'],
  ['objects instead of an array', 'a.json', `${json}\n${json}`, 'pass --format ndjson if each line is a pet, or'],
  ['a table instead of an array', 'a.json', csv, 'or --format csv for a table'],
])('rejects %s', async (_, name, content, message) => {
  const cli = createTestCli();
  const run = await cli.run(['pets', 'import', writeInput(cli, name, content)]);
  expect(run.stderr).toContain(message);
  expect(run.exitCode).toBe(2);
});

test('unknown columns and keys are ignored with one escaped notice', async () => {
  const cli = createTestCli();
  const table = 'id,name,\u001b[2J,categoryId,\n9,Rex,Ohio,1,x\n8,Ace,Iowa,1,y\n';
  const path = writeInput(cli, 'pets.csv', table);
  const { stderr, exitCode } = await cli.run(['pets', 'import', path, '--dry-run']);
  expect(stderr).toBe(
    'Ignored unknown columns: id, \\u001b[2J.\nNothing was sent (--dry-run).\n✓ Checked 2 rows: no problems found\n',
  );
  expect(exitCode).toBe(0);
  const items = writeInput(cli, 'pets.json', '[{"id":1,"name":"Rex","categoryId":1,"tag":"x"}]');
  const run = await cli.run(['pets', 'import', items, '--dry-run']);
  expect(run.stderr).toContain('Ignored unknown fields: id, tag.\n');
});

test('a dry run checks the rows, sends nothing, and needs no API key', async () => {
  const cli = createTestCli();
  const { env, requests } = await startCannedServer({});
  const path = writeInput(cli, 'pets.csv', csv);
  const url = { PETSTORE_BASE_URL: env.PETSTORE_BASE_URL as string };
  const run = await cli.run(['pets', 'import', path, '--dry-run', '--json'], { env: url });
  const none = { added: 0, skipped: 0, rejected: 0, unknown: 0, seconds: 0, rowsPerSecond: 0 };
  expect(summaryOf(run)).toEqual({ ...none, notSent: 2 });
  expect(requests).toHaveLength(0);
  expect(existsSync(join(cli.home, '.local'))).toBe(false);
  const invalid = writeInput(cli, 'bad.csv', 'name,categoryId\n,1\n');
  const rejects = ['--rejects', join(cli.home, 'r.csv')];
  const checked = await cli.run(['pets', 'import', invalid, '--dry-run', ...rejects], { env });
  expect(checked.stderr).toContain('Checked 1 row.\n');
});

test('equal rows become two pets', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', 'name,categoryId\nRex,1\nRex,1\n');
  expect((await cli.run(['pets', 'import', path])).exitCode).toBe(0);
  expect((await addedPets(cli)).map(({ name }) => name)).toEqual(['Rex', 'Rex']);
});

test('the summary is text on stderr, or a record on stdout', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csv);
  const text = await cli.run(['pets', 'import', path]);
  expect(text.stdout).toBe('');
  expect(text.stderr).toMatch(/^✓ Added 2 pets to sandbox · \d\.\ds · \d+\.\d rows\/s$/m);
  const record = summaryOf(await cli.run(['pets', 'import', path, '--json']));
  expect(Object.keys(record).join()).toBe('added,skipped,rejected,unknown,notSent,seconds,rowsPerSecond,journal');
  expect(record.journal).toBe(journalsOf(cli)[0]);
  const fields = ['-o', 'csv', '--fields', 'skipped,added'];
  const selected = await cli.run(['pets', 'import', path, ...fields]);
  expect(selected.stdout).toBe('skipped,added\n2,0\n');
  const quiet = await cli.run(['pets', 'import', path, '--quiet']);
  expect(quiet).toEqual({ stdout: '', stderr: '', exitCode: 0 });
});

test.each([
  ['empty.csv', 'name,categoryId\n'],
  ['empty.json', '[]'],
])('an import of %s says that there are no rows', async (name, content) => {
  const cli = createTestCli();
  const path = writeInput(cli, name, content);
  for (const flags of [[], ['--dry-run']]) {
    const { stderr, exitCode } = await cli.run(['pets', 'import', path, ...flags]);
    expect(stderr).toMatch(/^No rows found\.$/m);
    expect(exitCode).toBe(0);
  }
});

test('a file that is in the place of the directory of the journals is reported with a fix', async () => {
  const cli = createTestCli();
  const state = join(cli.home, 'state');
  writeFileSync(state, '');
  const path = writeInput(cli, 'pets.csv', 'name,categoryId\nRex,1\n');
  const run = await cli.run(['pets', 'import', path, '--yes'], { env: { XDG_STATE_HOME: state } });
  expect(run.stderr).toMatch(/error: cannot write \S+\/state\/petstore\/imports \(ENOTDIR\)\n/);
  expect(run.exitCode).toBe(1);
});
