import { chmodSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/canned-server.js';
import { type Pet, read, summaryOf, writeInput } from '../../support/imports.js';
import { interrupt } from '../../support/interrupt.js';
import { createTestCli } from '../../support/test-cli.js';
import { startService } from '../../support/test-service.js';

const rex = '{"id":1,"name":"=1+1","categoryId":9223372036854775807}';
const ace = '{"id":2,"name":"Ace","categoryId":1,"status":"sold"}';

test.each([
  ['pets.ndjson', `${rex}\n${ace}\n`],
  ['pets.jsonl', `${rex}\n${ace}\n`],
  ['pets', `${rex}\n${ace}\n`],
  ['pets.txt', `${rex}\n${ace}\n`],
  ['pets.csv', "id,name,categoryId,status\n1,'=1+1,9223372036854775807,\n2,Ace,1,sold\n"],
  ['pets.TSV', "id\tname\tcategoryId\tstatus\n1\t'=1+1\t9223372036854775807\t\n2\tAce\t1\tsold\n"],
  ['pets.yml', 'id: 1\n  name: =1+1\n'],
])('the name %s tells the format', async (name, content) => {
  const world = createTestCli();
  const { env } = await startCannedServer({ body: `[${rex},${ace}]` });
  const path = join(world.home, name);
  const run = await world.run(['pets', 'export', path], { env });
  expect(run).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  expect(read(path)).toContain(content);
});

test.each(['json', 'yaml', 'ndjson', 'csv', 'tsv'])(
  'as %s it is byte for byte what a list of all prints',
  async (format) => {
    const world = createTestCli();
    const { env } = await startService();
    const path = join(world.home, 'pets.csv');
    await world.run(['pets', 'export', path, '-o', format], { env });
    const listed = await world.run(['pets', 'list', '--all', '-o', format], { env });
    const exported = await world.run(['pets', 'export', '-o', format], { env });
    expect(read(path)).toBe(listed.stdout);
    expect(exported.stdout).toBe(listed.stdout);
  },
);

test('without a file it is NDJSON on stdout, page by page, of every pet', async () => {
  const world = createTestCli();
  const { env, statuses } = await startService();
  for (const args of [
    ['pets', 'export'],
    ['pets', 'export', '-'],
  ]) {
    const { stdout, exitCode } = await world.run(args, { env });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as Pet).id),
    ).toHaveLength(72);
    expect(exitCode).toBe(0);
  }
  expect(statuses).toEqual([200, 200]);
});

test('--status chooses, and --fields', async () => {
  const world = createTestCli();
  const { env, requests } = await startCannedServer({ body: `[${ace}]` });
  const args = ['pets', 'export', '--status', 'sold', '--fields', 'name,id', '-o', 'csv'];
  expect((await world.run(args, { env })).stdout).toBe('name,id\nAce,2\n');
  expect(requests[0]?.url).toBe('/v1/pets?limit=100&status=sold');
});

test('an existing file is kept unless --force, and nothing is asked for', async () => {
  const world = createTestCli();
  const { env, requests } = await startCannedServer({ body: `[${ace}]` });
  const path = writeInput(world, 'pets.ndjson', 'mine');
  const run = await world.run(['pets', 'export', path], { env });
  expect(run.stderr).toContain(`${path} is there already`);
  expect(run.stderr).toContain('--force');
  expect(run.exitCode).toBe(2);
  expect(read(path)).toBe('mine');
  expect(requests).toHaveLength(0);
  expect((await world.run(['pets', 'export', path, '--force'], { env })).exitCode).toBe(0);
  expect(read(path)).toBe(`${ace}\n`);
});

test('--force writes through a link', async () => {
  const world = createTestCli();
  const { env } = await startCannedServer({ body: `[${ace}]` });
  const path = writeInput(world, 'pets.ndjson', 'mine');
  symlinkSync(path, join(world.home, 'link.ndjson'));
  await world.run(['pets', 'export', join(world.home, 'link.ndjson'), '--force'], { env });
  expect(read(path)).toBe(`${ace}\n`);
});

test('an export that fails in the middle leaves no file', async () => {
  const world = createTestCli();
  const { env } = await startCannedServer(
    { body: `[${ace}]`, headers: { link: '</v1/pets?cursor=2>; rel="next"' } },
    { status: 401, body: '{"code":"c","message":"m"}' },
  );
  const before = readdirSync(world.home);
  const run = await world.run(['pets', 'export', join(world.home, 'pets.csv')], { env });
  expect(run.exitCode).toBe(3);
  expect(readdirSync(world.home).filter((name) => name.includes('pets'))).toEqual(before);
});

test('an export that is cancelled leaves nothing, and --force keeps the mode of what it replaces', async () => {
  const world = createTestCli();
  const path = writeInput(world, 'pets.json', 'mine');
  chmodSync(path, 0o600);
  const next = { link: '</v1/pets?cursor=x>; rel="next"' };
  const { env, firstRequest: reached } = await startCannedServer(
    { body: '[{"id":1}]', headers: next },
    { hang: true },
  );
  const { end } = await world.start(['pets', 'export', path, '--force'], { env, until: reached });
  const run = await end(interrupt);
  expect(run.exitCode).toBe(130);
  expect(read(path)).toBe('mine');
  expect(readdirSync(world.home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  await world.run(['pets', 'export', path, '--force']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(read(path))).toHaveLength(72);
});

test('where nobody can tell that it is all, it is written, and exit 10', async () => {
  const world = createTestCli();
  const pets = Array.from({ length: 100 }, (_, id) => ({ id, name: 'Rex', categoryId: 1 }));
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const path = join(world.home, 'pets.json');
  const run = await world.run(['pets', 'export', path], { env });
  expect(run.exitCode).toBe(10);
  expect(JSON.parse(read(path))).toHaveLength(100);
});

test('no pets are an empty file of the format', async () => {
  const world = createTestCli();
  const { env } = await startCannedServer({ body: '[]' });
  for (const [name, content] of [
    ['pets.json', '[]\n'],
    ['pets.ndjson', ''],
    ['pets.csv', 'id,name,categoryId,status\n'],
  ] as const) {
    await world.run(['pets', 'export', join(world.home, name)], { env });
    expect(read(join(world.home, name))).toBe(content);
  }
});

test.each([
  [['-o', 'table'], 'an export is no table'],
  [['--fields', 'nope'], 'nope'],
])('%j is refused before anything is asked', async (flags, message) => {
  const { env, requests } = await startCannedServer({});
  const run = await createTestCli().run(['pets', 'export', ...flags], { env });
  expect(run.stderr).toContain(message);
  expect(run.exitCode).toBe(2);
  expect(requests).toHaveLength(0);
});

test('a directory, and a place that is not there, are no files', async () => {
  const world = createTestCli();
  const { env } = await startCannedServer({});
  expect((await world.run(['pets', 'export', world.home], { env })).exitCode).toBe(2);
  const run = await world.run(['pets', 'export', join(world.home, 'no/pets.csv')], { env });
  expect(run.stderr).toContain('cannot be written');
  expect(run.exitCode).toBe(1);
});

test('a disk that is full is told', async () => {
  const { env } = await startCannedServer({ body: `[${ace}]` });
  const run = await createTestCli().run(['pets', 'export', '/dev/full', '-o', 'csv'], { env });
  expect(run.stderr).toContain('/dev/full cannot be written (ENOSPC)');
  expect(run.exitCode).toBe(1);
});

test.each(['csv', 'json', 'ndjson', 'tsv'])(
  'as %s it is imported again as it was',
  async (format) => {
    const world = createTestCli();
    const names = [
      '=1+1',
      "'tis",
      '"q"',
      'a\nb',
      'a\r\nb',
      '😀👩‍👧',
      'tab\there',
      '-',
      ' spaces ',
      'a,b;c',
      '\u202ex',
    ];
    const categories = ['9223372036854775807', '-9223372036854775808', '0'];
    const items = names.map(
      (name, index) => `{"name":${JSON.stringify(name)},"categoryId":${categories[index % 3]}}`,
    );
    const source = await startService();
    await world.run(['pets', 'import', '-'], { env: source.env, input: items.join('\n') });
    const path = join(world.home, `pets.${format}`);
    await world.run(['pets', 'export', path, '--fields', 'name,categoryId,status'], {
      env: source.env,
    });
    const target = await startService();
    const run = await world.run(['pets', 'import', path, '--json', '--concurrency', '1'], {
      env: target.env,
    });
    expect(summaryOf(run)).toMatchObject({ added: 72 + names.length });
    const bare = async ({ env }: { readonly env: Readonly<Record<string, string>> }) => {
      const { stdout } = await world.run(['pets', 'export', '--fields', 'name,categoryId,status'], {
        env,
      });
      return stdout.trimEnd().split('\n');
    };
    const original = await bare(source);
    expect((await bare(target)).slice(72)).toEqual(original);
  },
);
