import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/http-server.js';
import { read, summaryOf, writeInput } from '../../support/imports.js';
import { createTestCli } from '../../support/test-cli.js';
import { interrupt } from '../../support/test-client.js';
import { startService } from '../../support/test-server.js';

const rex = '{"id":1,"name":"=1+1","categoryId":9223372036854775807}';
const ace = '{"id":2,"name":"Ace","categoryId":1,"status":"sold"}';

test.each([
  ['pets.ndjson', `${rex}\n${ace}\n`],
  ['pets.jsonl', `${rex}\n${ace}\n`],
  ['pets', `${rex}\n${ace}\n`],
  ['pets.csv', "id,name,categoryId,status\n1,'=1+1,9223372036854775807,\n2,Ace,1,sold\n"],
  ['pets.TSV', "id\tname\tcategoryId\tstatus\n1\t'=1+1\t9223372036854775807\t\n2\tAce\t1\tsold\n"],
  ['pets.yml', 'id: 1\n  name: =1+1\n'],
])('the file name %s selects the format', async (name, content) => {
  const cli = createTestCli();
  const { env } = await startCannedServer({ body: `[${rex},${ace}]` });
  const path = join(cli.home, name);
  const run = await cli.run(['pets', 'export', path], { env });
  expect(run).toEqual({ stdout: '', stderr: `✓ Exported 2 pets to ${path}\n`, exitCode: 0 });
  expect(read(path)).toContain(content);
});

test.each(['json', 'yaml', 'ndjson', 'csv', 'tsv'])(
  'an export as %s equals the output of pets list --all',
  async (format) => {
    const cli = createTestCli();
    const { env } = await startService();
    const path = join(cli.home, 'pets.csv');
    await cli.run(['pets', 'export', path, '-o', format], { env });
    const listed = await cli.run(['pets', 'list', '--all', '-o', format], { env });
    const exported = await cli.run(['pets', 'export', '-o', format], { env });
    expect(read(path)).toBe(listed.stdout);
    expect(exported.stdout).toBe(listed.stdout);
  },
);

test('an export without a file writes NDJSON to stdout', async () => {
  const cli = createTestCli();
  const { env, statuses } = await startService();
  for (const args of [[], ['-']]) {
    const { stdout, exitCode } = await cli.run(['pets', 'export', ...args], { env });
    expect(stdout.match(/^\{"id":\d+,.*\}$/gm)).toHaveLength(72);
    expect(exitCode).toBe(0);
  }
  expect(statuses).toEqual([200, 200]);
});

test('--status and --fields select pets and columns', async () => {
  const { env, requests } = await startCannedServer({ body: `[${ace}]` });
  const args = ['pets', 'export', '--status', 'sold', '--fields', 'name,id', '-o', 'csv'];
  expect((await createTestCli().run(args, { env })).stdout).toBe('name,id\nAce,2\n');
  expect(requests[0]?.url).toBe('/v1/pets?limit=100&status=sold');
});

test('an existing file is replaced only with --force', async () => {
  const cli = createTestCli();
  const { env, requests } = await startCannedServer({ body: `[${ace}]` });
  const path = writeInput(cli, 'pets.ndjson', 'mine');
  const run = await cli.run(['pets', 'export', path], { env });
  expect(run.stderr).toContain(`${path} already exists`);
  expect(run.stderr).toContain('--force');
  expect(run.exitCode).toBe(2);
  expect(read(path)).toBe('mine');
  expect(requests).toHaveLength(0);
  expect((await cli.run(['pets', 'export', path, '--force'], { env })).exitCode).toBe(0);
  expect(read(path)).toBe(`${ace}\n`);
});

test.each([
  ['.', 'cannot write . (is a directory)\n  hint: choose another file, or check that you can write to its directory'],
  [
    'package.json/pets',
    'cannot write package.json/pets (ENOTDIR)\n  hint: choose another file, or check that you can write to its directory',
  ],
  [
    'missing/pets',
    'cannot write missing/pets (no such directory)\n  hint: choose another file, or check that you can write to its directory',
  ],
])('an export to %s fails with a fix', async (path, message) => {
  const cli = createTestCli();
  // Only the first use of the sandbox prints a notice.
  await cli.run(['pets', 'list']);
  const { stdout, stderr } = await cli.run(['pets', 'export', path]);
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: `error: ${message}\n` });
});

test('an export that fails leaves no file', async () => {
  const cli = createTestCli();
  const { env } = await startCannedServer(
    { body: `[${ace}]`, headers: { link: '</v1/pets?cursor=2>; rel="next"' } },
    { status: 401, body: '{"code":"c","message":"m"}' },
  );
  const run = await cli.run(['pets', 'export', join(cli.home, 'pets.csv')], { env });
  expect(run.exitCode).toBe(3);
  expect(readdirSync(cli.home).filter((name) => name.includes('pets'))).toEqual([]);
});

test('a canceled export keeps the old file, and a later one keeps its mode', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.json', 'mine');
  chmodSync(path, 0o600);
  const { env, firstRequest } = await startCannedServer(
    { body: '[{"id":1}]', headers: { link: '</v1/pets?cursor=x>; rel="next"' } },
    { hang: true },
  );
  const { end } = await cli.start(['pets', 'export', path, '--force'], {
    env,
    until: firstRequest,
  });
  const run = await end(interrupt);
  expect(run.exitCode).toBe(130);
  expect(read(path)).toBe('mine');
  expect(readdirSync(cli.home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  await cli.run(['pets', 'export', path, '--force']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(read(path))).toHaveLength(72);
});

test('a list that may be incomplete is written with exit code 10', async () => {
  const cli = createTestCli();
  const pets = Array.from({ length: 100 }, (_, id) => ({ id, name: 'Rex', categoryId: 1 }));
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const path = join(cli.home, 'pets.json');
  for (const flags of [[], ['--force']]) {
    const { exitCode, stderr } = await cli.run(['pets', 'export', path, ...flags], { env });
    expect(exitCode).toBe(10);
    expect(stderr).toMatch(/^Exported 100 pets to \S+pets\.json\.\n[\s\S]*error: the list may be incomplete: /);
    expect(JSON.parse(read(path))).toHaveLength(100);
  }
});

test.each([
  ['pets.json', '[]\n'],
  ['pets.ndjson', ''],
  ['pets.csv', 'id,name,categoryId,status\n'],
])('an export of no pets writes a valid %s', async (name, content) => {
  const cli = createTestCli();
  const { env } = await startCannedServer({ body: '[]' });
  await cli.run(['pets', 'export', join(cli.home, name)], { env });
  expect(read(join(cli.home, name))).toBe(content);
});

test.each([
  [['-o', 'table'], 'pets cannot be exported as a table'],
  [['--fields', 'nope'], 'nope'],
])('%j is rejected before any request', async (flags, message) => {
  const { env, requests } = await startCannedServer({});
  const run = await createTestCli().run(['pets', 'export', ...flags], { env });
  expect(run.stderr).toContain(message);
  expect(run.exitCode).toBe(2);
  expect(requests).toHaveLength(0);
});

const unit = fc.constantFrom(...'=+-@\'",;\t\r\n a1é\\\u202e\u001b\ufeff', ...['🐕', '👩‍👧']);
const pet = fc.record({
  name: fc.string({ unit, minLength: 1, maxLength: 12 }).map((text) => `${text}x`),
  categoryId: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  status: fc.constantFrom('available', 'pending', 'sold', undefined),
});

test.each(['csv', 'json', 'ndjson', 'tsv'])('an import of an exported %s file restores every pet', async (format) => {
  const cli = createTestCli();
  const limits = { perMinute: 10_000, perDay: 10_000 };
  const [{ env: source }, { env: target }] = [await startService({ limits }), await startService({ limits })];
  const fields = ['--fields', 'name,categoryId,status'];
  const pets = fc.sample(pet, 100);
  const lines = pets.map(({ categoryId, ...rest }) => `{"categoryId":${categoryId},${JSON.stringify(rest).slice(1)}`);
  await cli.run(['pets', 'import', '-'], { env: source, input: lines.join('\n') });
  const path = join(cli.home, `pets.${format}`);
  await cli.run(['pets', 'export', path, ...fields], { env: source });
  const run = await cli.run(['pets', 'import', path, '--json'], { env: target });
  expect(summaryOf(run)).toMatchObject({ added: 172 });
  const original = await cli.run(['pets', 'export', ...fields], { env: source });
  const copy = await cli.run(['pets', 'export', ...fields], { env: target });
  // Rows that are sent at the same time get their ids in any order.
  expect(copy.stdout.split('\n').slice(72).sort()).toEqual(original.stdout.split('\n').sort());
});

test.each([
  ['pets.txt', {}, [], undefined],
  ['pets.csv.bak', {}, ['--force'], undefined],
  ['pets.txt', {}, ['-o', 'csv'], 'id,name'],
  ['pets.csv', { PETSTORE_OUTPUT: 'json' }, [], 'id,name'],
  ['pets', { PETSTORE_OUTPUT: 'json' }, [], '{"id"'],
  ['pets.csv', { PETSTORE_OUTPUT: 'yaml' }, ['-o', 'json'], '['],
])('only the flag overrides the extension of %s, with %j and %j', async (name, env, flags, start) => {
  const cli = createTestCli();
  const path = join(cli.home, name);
  const run = await cli.run(['pets', 'export', path, ...flags], { env });
  expect([run.exitCode, existsSync(path)]).toEqual(start === undefined ? [2, false] : [0, true]);
  if (start === undefined) expect(run.stderr).toContain('pass --output with one of json, ndjson, yaml, csv, tsv');
  else expect(read(path).slice(0, start.length)).toBe(start);
});
