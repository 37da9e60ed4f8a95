import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeClock } from '../../support/clock.js';
import { createTestCli } from '../../support/test-cli.js';

test('reads a pet from standard input and ignores unknown keys', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  const from = (input: string) => cli.run(['pets', 'add', '--from', '-', '--dry-run', '--json'], { input });
  expect((await from('\ufeff{"name":"Rex","categoryId":9007199254740993}')).stdout).toBe(
    '{\n  "name": "Rex",\n  "categoryId": 9007199254740993\n}\n',
  );
  expect((await from('{"name":"Rex","categoryId":1,"chip":"A1"}')).stderr).toBe(
    'Ignored unknown field: chip.\nNothing was sent (--dry-run).\n',
  );
});

test('reads the UTF-16 that PowerShell 5.1 writes', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  const input = Buffer.from('\ufeff{"name":"Zoë","categoryId":1}\r\n', 'utf16le');
  const run = await cli.run(['pets', 'add', '--from', '-', '--dry-run', '--json'], { input });
  expect(JSON.parse(run.stdout)).toEqual({ name: 'Zoë', categoryId: 1 });
});

test.each([
  ['', 'invalid JSON in standard input: empty input'],
  ['[]', 'standard input must contain one JSON object'],
  ['{"name":"Rex",\n "categoryId":01}', 'invalid JSON in standard input at line 2, column 16: '],
  ['{"name":" ","categoryId":1}', '"name" in standard input must not be blank'],
  ['{"name":"Rex","categoryId":1.5}', '"categoryId" in standard input must be a 64-bit integer'],
  ['{"name":"Rex","categoryId":1,"status":"sald"}', '"status" in standard input must be one of'],
  ['{"name":"Rex","categoryId":1,"statsu":"sold"}', 'a pet has no field "statsu"'],
  ['\xff', 'invalid JSON in standard input: invalid UTF-8'],
])('rejects %j', async (input, message) => {
  const { stderr, exitCode } = await createTestCli().run(['pets', 'add', '--from', '-'], {
    input: Buffer.from(input, 'latin1'),
  });
  expect(stderr).toContain(`error: ${message}`);
  expect(exitCode).toBe(2);
});

test.each([
  ['pets.csv', 'name,categoryId\nRex,1\n', 'invalid JSON in '],
  ['pets.json', '[{"name":"Rex","categoryId":1}]', 'pets.json must contain one JSON object'],
])('names the import for several pets in %s', async (name, content, message) => {
  const cli = createTestCli();
  const path = join(cli.home, name);
  writeFileSync(path, content);
  const { stderr, exitCode } = await cli.run(['pets', 'add', '--from', path]);
  expect(stderr).toContain(message);
  expect(stderr).toContain(`hint: run petstore pets import ${path} to add several pets\n`);
  expect(exitCode).toBe(2);
});

test('rejects a missing file and a file that is too long', async () => {
  const cli = createTestCli();
  const missing = await cli.run(['pets', 'add', '--from', '/nowhere.json']);
  expect(missing.stderr).toBe('error: cannot read /nowhere.json: no such file\n');
  const path = join(cli.home, 'long.json');
  writeFileSync(path, ' '.repeat(1024 * 1024 + 1));
  const long = await cli.run(['pets', 'add', '--from', path]);
  expect(long.stderr).toContain('larger than 1048576 bytes');
  expect([missing.exitCode, long.exitCode]).toEqual([2, 2]);
});
