import { expect, test } from 'vitest';
import { csvOf, summaryOf, writeInput } from '../support/imports.js';
import { createFastTestCli, createTestCli, type TestCli } from '../support/test-cli.js';

/** Returns a petstore whose reserve is set, and whose sandbox allows 60 requests a minute. */
async function withReserve(reserve: number): Promise<TestCli> {
  const cli = createFastTestCli();
  await cli.run(['config', 'set', 'reserve', String(reserve)]);
  return cli;
}

function lastError({ stderr }: { readonly stderr: string }) {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
}

const reserved = 'no more requests may be sent in this window: 50 requests are reserved';

test('an import leaves the reserve, and other commands use it', async () => {
  // On a clock that advances with each wait, the progress of an import would end the window.
  const cli = createTestCli();
  await cli.run(['config', 'set', 'reserve', '50']);
  const path = writeInput(cli, 'pets.csv', csvOf(15));
  const run = await cli.run(['pets', 'import', path, '--max-wait', '0', '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 10, notSent: 5 });
  expect(lastError(run)).toMatchObject({ message: `the import stopped: ${reserved}`, exitCode: 10 });
  const list = await cli.run(['pets', 'list', '--limit', '1', '--max-wait', '0']);
  expect(list.stderr).toContain('49 of 60 requests left');
});

test('an import waits for the next window, and says why', async () => {
  const cli = await withReserve(50);
  const path = writeInput(cli, 'pets.csv', csvOf(25));
  const run = await cli.run(['pets', 'import', path, '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 25 });
  expect(run.stderr).toContain('for the quota (50 reserved)');
});

test.each([
  ['pets list --all', ['pets', 'list', '--all', '--limit', '1', '--json']],
  ['pets export', ['pets', 'export', '--json']],
])('%s leaves the reserve', async (_, args) => {
  const cli = await withReserve(50);
  for (let sent = 0; sent < 10; sent += 1) await cli.run(['pets', 'list', '-q']);
  const run = await cli.run([...args, '--max-wait', '0']);
  expect(lastError(run)).toMatchObject({ code: 'rate_limited', message: `${reserved}; nothing was sent`, exitCode: 6 });
  const waiting = await cli.run(args);
  expect(waiting.exitCode).toBe(0);
  expect(waiting.stderr).toContain('for the quota of sandbox (50 requests reserved).');
});

test('a reserve of a whole window ends an import instead of waiting', async () => {
  // On a clock that advances with each wait, each import would start in a new window.
  const cli = createTestCli();
  await cli.run(['config', 'set', 'reserve', '60']);
  const path = writeInput(cli, 'pets.csv', csvOf(3));
  const run = await cli.run(['pets', 'import', path, '--json']);
  const error = {
    message: 'the setting reserve is 60, but a window has only 60 requests',
    hint: 'run petstore config set reserve <n> with a number below 60',
  };
  const stopped = { ...error, message: `the import stopped: ${error.message}`, code: 'import_stopped', exitCode: 10 };
  expect(lastError(run)).toEqual(stopped);
  const other = writeInput(cli, 'other.csv', csvOf(2));
  const none = await cli.run(['pets', 'import', other, '--json']);
  expect(lastError(none)).toEqual({ ...error, code: 'reserve_too_large', exitCode: 6 });
  const all = await cli.run(['pets', 'list', '--all', '--json']);
  expect(lastError(all)).toEqual({ ...error, code: 'reserve_too_large', exitCode: 6 });
});

test('a watch leaves the reserve, and ends if there is nothing else', async () => {
  const watch = (cli: TestCli) => cli.run(['pets', 'list', '--watch=1', '--max-requests', '3', '-o', 'ndjson']);
  expect((await watch(await withReserve(56))).stderr).toContain('to use at most half of the remaining quota');
  expect(lastError(await watch(await withReserve(60)))).toMatchObject({ code: 'reserve_too_large', exitCode: 6 });
});

test.each(['-1', '1.5', 'x'])('the setting reserve cannot be %s', async (value) => {
  const run = await createFastTestCli().run(['config', 'set', 'reserve', '--', value]);
  expect(run.stderr).toContain('the setting reserve must be a whole number from 0 to 1000000000');
});
