import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { type CannedResponse, newClosedOrigin, startCannedServer } from '../support/http-server.js';
import { bareEnv, binary, newUser, node } from '../support/petstore.js';
import { openShell } from '../support/terminal.js';

test('a closed pipe ends the process without an error', async () => {
  const name = 'x'.repeat(100_000);
  const pets = Array.from({ length: 50 }, (_, id) => ({ id, name, categoryId: 1 }));
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const user = newUser();
  const child = spawn(node, [binary, 'pets', 'list', '-o', 'ndjson'], {
    env: { ...bareEnv(user.home), ...env },
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = await once(child, 'exit');
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^\{"notice":.*\}\n$/) });
});

test('a large result reaches a pipe completely', async () => {
  const name = 'x'.repeat(10_000);
  const pets = Array.from({ length: 100 }, (_, id) => ({ id, name, categoryId: 1 }));
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const { stdout } = await newUser().run(['pets', 'list', '--json', '--limit', '100'], { env });
  expect(JSON.parse(stdout)).toEqual(pets);
});

test.skipIf(!existsSync('/dev/full')).each([[['--version']], [['pets', 'list', '-q']]])(
  '%j to a full disk prints one error and exits with 1 (needs /dev/full)',
  async (args) => {
    const { env } = await startCannedServer({ body: '[{"id":1,"name":"Rex","categoryId":1}]' });
    const { stderr, exitCode } = await execa('bash', ['-c', 'exec "$@" > /dev/full', 'bash', node, binary, ...args], {
      env: { ...bareEnv(newUser().home), ...env },
      extendEnv: false,
      reject: false,
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: cannot write to standard output \(ENOSPC\)(\n {2}hint: free some disk space)?$/);
  },
);

test('Ctrl-C while stdin is read cancels immediately', async () => {
  const child = spawn(node, [binary, 'api', '/pets', '--input', '-', '-q'], {
    env: bareEnv(newUser().home),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  // More than a pipe buffers, so that the process is reading once this is written.
  await new Promise((resolve) => child.stdin.write(' '.repeat(900_000), resolve));
  const begin = performance.now();
  child.kill('SIGINT');
  const [code, signal] = await once(child, 'exit');
  expect({ code, signal, output }).toEqual({ code: 130, signal: null, output: 'Canceled.\n' });
  expect(performance.now() - begin).toBeLessThan(20_000);
});

test.each([
  ['a process substitution', '"$@" <(printf "$rows")'],
  ['a redirected file', '"$@" /dev/stdin < "$file"'],
])('pets import treats %s like standard input', async (_, script) => {
  const user = newUser();
  const file = join(user.home, 'rows.csv');
  const importRows = async (rows: string, flags: readonly string[] = []) => {
    writeFileSync(file, rows);
    const command = [node, binary, 'pets', 'import', '--format', 'csv', ...flags];
    return execa('bash', ['-c', script, 'bash', ...command], {
      env: { ...bareEnv(user.home), rows, file },
      extendEnv: false,
      reject: false,
    });
  };
  expect(await importRows('name,categoryId\nAnna,1\n')).toMatchObject({ exitCode: 0 });
  // More rows than the minute has requests left.
  const other = await importRows(`name,categoryId\n${'Bruno,1\n'.repeat(60)}`, ['--max-wait', '0']);
  expect(other.stderr).toContain('hint: run the same command with the same input to resume');
  expect(other.exitCode).toBe(10);
});

test('on a terminal, --jq prints the tabs of @tsv and escapes other control characters', async () => {
  const { home } = newUser();
  const program = '.[0] | [.id, "a\\u001bb"] | @tsv';
  const shell = openShell(
    home,
    `petstore pets list -q --limit 1 --jq '${program}' | cat; petstore pets list -q --limit 1 --jq '${program}'`,
  );
  expect(await shell.exitCode).toBe(0);
  expect(shell.output()).toContain('1\ta\\u001bb\r\n');
});

const add = ['pets', 'add', '--name', 'x', '--category-id', '1'];

test.each<[number, string, readonly string[], CannedResponse]>([
  [0, 'an empty list', ['pets', 'list'], { body: '[]' }],
  [2, 'an unknown flag', ['pets', 'list', '--nope'], {}],
  [3, 'a rejected key', ['pets', 'list'], { status: 401 }],
  [4, 'a missing pet', ['pets', 'get', '1'], { status: 404 }],
  [5, 'a rejected pet', add, { status: 400 }],
  [6, 'a rate-limited request', ['pets', 'list', '--max-wait', '0'], { status: 429 }],
  [7, 'a body that is not JSON', ['pets', 'list'], { body: '<html>' }],
  [9, 'a create with an unknown outcome', add, { status: 502 }],
])('the process exits with %i after %s', async (exitCode, _, args, { status = 200, ...response }) => {
  const body = status === 200 ? '' : JSON.stringify({ code: 'c', message: 'm', status });
  const { env } = await startCannedServer({ status, body, ...response });
  const run = await newUser().run(args, { env });
  expect(run).toMatchObject({ stdout: exitCode === 0 ? expect.any(String) : '', exitCode });
});

test('the process exits with 8 after a refused connection', async () => {
  const env = {
    PETSTORE_BASE_URL: `${await newClosedOrigin()}/v1`,
    PETSTORE_API_KEY: 'pets_key_123456',
  };
  expect((await newUser().run(['pets', 'list'], { env })).exitCode).toBe(8);
});
