import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { renderResult } from '../../src/cli/render.js';
import { createStyle } from '../../src/terminal/output.js';
import type { Terminal } from '../../src/terminal/terminal.js';
import { fakeClock } from '../support/clock.js';
import { startCannedServer } from '../support/http-server.js';
import { createTestCli } from '../support/test-cli.js';

test('a batch of 300,000 records is printed completely', async () => {
  const pets = Array.from({ length: 300_000 }, (_, id) => ({ id }));
  let written = '';
  const stdout = {
    isTerminal: false,
    columns: undefined,
    closed: false,
    write: async (content: string | Uint8Array) => {
      written += content;
    },
  };
  const records = (async function* () {
    yield pets;
  })();
  await renderResult(
    { kind: 'records', columns: [{ key: 'id' }], records, emptyMessage: '' },
    { output: 'json', header: true, color: 'never', quiet: true },
    { stdout } as unknown as Terminal,
  );
  expect(JSON.parse(written)).toEqual(pets);
});

const unusualPets = JSON.stringify([
  { id: 1, name: 'Rex\u001b[2J\u202e', categoryId: 7, status: 'available' },
  { id: 2, name: '=1+1', categoryId: -5, chip: { code: 'A"1' } },
  { id: 3, name: 'two\nlines, "quoted"', categoryId: 'BIG', status: 'sleeping' },
]).replace('"BIG"', '9223372036854775807');

test.each(['table', 'json', 'ndjson', 'yaml', 'csv', 'tsv'])('unusual values are formatted as %s', async (format) => {
  const { env } = await startCannedServer({ body: unusualPets });
  const run = await createTestCli().run(['pets', 'list', '-o', format], { env });
  expect(run).toMatchSnapshot();
});

test.each(['id,name', 'id name', ' id ,  name '])('--fields "%s" has two names', async (fields) => {
  const run = await createTestCli().run(['pets', 'get', '1', '-q', '-o', 'csv', '--fields', fields]);
  expect(run.stdout).toBe('id,name\n1,Ada\n');
});

test.each(['', 'id,', 'id,,name', ','])('--fields "%s" has an empty name', async (fields) => {
  const run = await createTestCli().run(['pets', 'list', '--fields', fields]);
  expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--fields has an empty name') });
});

test.each(['table', 'csv', 'ndjson'])('--fields selects and orders the columns of %s', async (format) => {
  const run = await createTestCli().run(['pets', 'list', '--limit', '1', '-q', '-o', format, '--fields', 'status,id']);
  expect(run).toMatchSnapshot();
});

test.each(['table', 'csv', 'tsv'])('--no-header removes the header of %s', async (format) => {
  const args = ['pets', 'list', '--limit', '1', '-q', '-o', format, '--no-header'];
  const { stdout } = await createTestCli().run(args);
  expect(stdout.trimEnd().split(/\s+|,/)).toEqual(['1', 'Ada', '1', 'available']);
});

test.each([
  ['table', '', 'No pets found.\n'],
  ['json', '[]\n', ''],
  ['ndjson', '', ''],
  ['yaml', '[]\n', ''],
  ['csv', 'id,name,categoryId,status\n', ''],
])('an empty list is valid %s', async (format, stdout, stderr) => {
  const { env } = await startCannedServer({ body: '[]' });
  const run = await createTestCli().run(['pets', 'list', '-o', format], { env });
  expect(run).toEqual({ stdout, stderr, exitCode: 0 });
});

test.each(['csv', 'tsv'])('fields that only later records have are omitted from %s with a warning', async (format) => {
  const link = '</v1/pets?cursor=x>; rel="next"';
  const { env } = await startCannedServer(
    { body: '[{"id":1,"name":"Rex","categoryId":1}]', headers: { link } },
    { body: '[{"id":2,"name":"Tom","categoryId":1,"chip":"x","vet":null}]' },
  );
  const run = await createTestCli().run(['pets', 'list', '--all', '-o', format, '--no-header'], { env });
  expect(run.stdout.split('\n')).toHaveLength(3);
  expect(run.stderr).toBe(`! ${format} omits fields that only later records have: chip, vet\n`);
});

test('a table on a terminal is colored and fits its width', async () => {
  const cli = createTestCli({ clock: fakeClock(), columns: 42 });
  await cli.run(['pets', 'add', '--name', '長い名前の犬'.repeat(5), '--category-id', '1', '-q']);
  const { stdout } = await cli.run(['pets', 'list', '--all', '-q']);
  expect(stdout).toContain('\u001b[1mID\u001b[22m');
  expect(stdout).toContain('\u001b[32mavailable\u001b[39m');
  expect(stdout).toContain('長い名前の犬長い…');
});

test.each([
  ['titles on a terminal', 80, 'ID        1\nNAME      Ada\nCATEGORY  1\nSTATUS    available\n'],
  [
    'the names of the API in a pipe',
    undefined,
    'id:         1\nname:       Ada\ncategoryId: 1\nstatus:     available\n',
  ],
])('one pet is printed with %s', async (_, columns, block) => {
  const cli = createTestCli({ clock: fakeClock(), ...(columns && { columns }) });
  const { stdout } = await cli.run(['pets', 'get', '1', '-q', '--no-color']);
  expect(stdout).toBe(block);
});

test('a narrow terminal gets a block per pet', async () => {
  const cli = createTestCli({ clock: fakeClock(), columns: 30 });
  const { stdout } = await cli.run(['pets', 'list', '--limit', '2', '-q', '--no-color']);
  expect(stdout).toBe(
    'ID        1\nNAME      Ada\nCATEGORY  1\nSTATUS    available\n\n' +
      'ID        2\nNAME      Archie\nCATEGORY  2\nSTATUS    available\n',
  );
});

describe('a table', () => {
  const columns = [
    { key: 'id' },
    { key: 'name' },
    { key: 'categoryId', title: 'CATEGORY' },
    { key: 'perDay', format: 'count' },
    { key: 'seenAt', title: 'SEEN', format: 'time' },
  ] as const;
  const records = [
    { id: 1, name: 'Ada', categoryId: 10, perDay: 1_000, seenAt: new Date(-60_000).toISOString() },
    { id: 1_000, name: 'Rex', categoryId: 2, perDay: 60, seenAt: null },
  ];
  const render = async (width?: number) => {
    let written = '';
    const write = async (content: string) => {
      written += content;
    };
    const createPlainStyle = () => createStyle({ mode: 'never', isTerminal: true, env: {} });
    const stdout = { isTerminal: width !== undefined, columns: width, write };
    await renderResult(
      { kind: 'records', columns, records, emptyMessage: '' },
      { output: 'table', header: true, color: 'never', quiet: true },
      { stdout, clock: { now: () => 0 }, createStyle: createPlainStyle } as unknown as Terminal,
    );
    return written;
  };

  test('has titles, right-aligned numbers, separators in counts and relative times on a terminal', async () => {
    expect(await render(80)).toBe(
      [
        '  ID  NAME  CATEGORY  PER DAY  SEEN\n',
        '   1  Ada         10    1,000  1m ago\n',
        '1000  Rex          2       60  -\n',
      ].join(''),
    );
  });

  test('has the names and exact values of the API in a pipe', async () => {
    expect(await render()).toBe(
      [
        'id    name  categoryId  perDay  seenAt\n',
        '1     Ada   10          1000    1969-12-31T23:59:00.000Z\n',
        '1000  Rex   2           60      -\n',
      ].join(''),
    );
  });
});

describe('in screen-reader mode', () => {
  const env = { PETSTORE_ACCESSIBLE: '1' };

  test('each value has a line, and a missing value has none', async () => {
    const body = '[{"id":1,"to":{"city":"Bern","days":[1,2],"none":{}},"paid":null},{"id":2}]';
    const service = await startCannedServer({ body });
    const run = await createTestCli().run(['orders', 'list', '-q'], { env: { ...env, ...service.env } });
    expect(run.stdout).toBe('id: 1\nto: {"city":"Bern","days":[1,2],"none":{}}\npaid: -\n\nid: 2\n');
  });

  test('quota prints each window, and doctor no empty advice', async () => {
    const cli = createTestCli({ clock: fakeClock(), columns: 80, env });
    await cli.run(['pets', 'list', '-q']);
    const { stdout } = await cli.run(['quota', '--color', 'never']);
    expect(stdout).toContain('\nminute: 59 of 60 requests left · resets in 1m\n');
    expect((await cli.run(['doctor', '--color', 'never'])).stdout).toContain('check: sqlite\nstatus: ok\n\n');
  });
});

const listed = '[{"id":9223372036854775807,"name":"Rex\\u001b[2J \\"1\\"","categoryId":-7,"chip":null}]';

test.each([
  [['pets', 'list', '--json'], '\u001b[1m"id"\u001b[22m: \u001b[95m9223372036854775807\u001b[39m'],
  [['pets', 'list', '-o', 'ndjson'], '\u001b[1m"chip"\u001b[22m:\u001b[95mnull\u001b[39m'],
  [['pets', 'export'], '\u001b[1m"chip"\u001b[22m:\u001b[95mnull\u001b[39m'],
  [['pets', 'get', '1', '--json', '--fields', 'name'], '\u001b[32m"Rex\\u001b[2J \\"1\\""\u001b[39m'],
  [['api', '/pets'], '\u001b[1m"name"\u001b[22m: \u001b[32m"Rex\\u001b[2J \\"1\\""\u001b[39m'],
  [['api', '/pets', '-i'], 'HTTP/1.1 200\n'],
  [['pets', 'list', '--jq', '.[0] | .categoryId, .name'], '\u001b[95m-7\u001b[39m\nRex\\u001b[2J "1"\n'],
])('%j on a terminal is the text of a pipe with color', async (args, highlighted) => {
  // `api -i` prints the date, which changes from one request to the next.
  const headers = { date: 'Mon, 23 Nov 2026 08:09:10 GMT' };
  const { env } = await startCannedServer({ headers, body: args[1] === 'get' ? listed.slice(1, -1) : listed });
  const terminal = createTestCli({ columns: 80, env });
  const pipe = createTestCli({ env: { ...env, FORCE_COLOR: '1' } });
  const { stdout } = await terminal.run([...args, '-q']);
  expect(stdout).toContain(highlighted);
  const plain = await pipe.run([...args, '-q']);
  expect(stripVTControlCharacters(stdout)).toBe(plain.stdout.replace('Rex\u001b[2J', 'Rex\\u001b[2J'));
  const colorless = await terminal.run([...args, '-q', '--no-color']);
  expect(colorless.stdout).toBe(stripVTControlCharacters(stdout));
});
