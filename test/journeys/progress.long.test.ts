import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { csvOf, writeInput } from '../support/imports.js';
import { newUser } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { expectCursor, keys, openTerminal } from '../support/terminal.js';

/** Each request takes less time than the indicator of a single request needs to appear. */
const quick = ['--plan', 'enterprise', '--latency', '250'];
const listAll = ['pets', 'list', '--all'];

/** Starts a service with so many pages of one pet. */
function startPages(count: number, headersOf: (page: number) => Record<string, string> = () => ({})) {
  let page = 0;
  return startCannedServer(() => {
    page += 1;
    const link: Record<string, string> = page < count ? { link: `</v1/pets?after=${page}>; rel="next"` } : {};
    return { body: `[{"id":${page},"name":"A","categoryId":1}]`, headers: { ...link, ...headersOf(page) } };
  });
}

test.each([
  ['a table', []],
  ['JSON', ['--json']],
  ['JSON with jq', ['--jq', 'length']],
])('pets list --all as %s shows how many pets it has fetched', async (_, flags) => {
  const { env } = await startPages(3_000);
  const terminal = openTerminal(newUser().home, [...listAll, ...flags], { env });
  await terminal.see(/Fetched \d+ pets/);
  expect(await terminal.exitCode).toBe(0);
  expectCursor(terminal.output());
});

test('pets export shows how many pets it has fetched, and a success line with their number', async () => {
  const { env } = await startServeProcess(...quick);
  const user = newUser();
  const rows = writeInput(user, 'pets.csv', csvOf(228));
  expect((await user.run(['pets', 'import', rows], { env })).exitCode).toBe(0);
  const file = openTerminal(user.home, ['pets', 'export', join(user.home, 'all.csv')], { env, columns: 200 });
  await file.see(/Fetched \d+00 pets/);
  await file.see(/✓\S* Exported 300 pets to /);
  expect(await file.exitCode).toBe(0);
});

test('a pipe gets no progress', async () => {
  const { env } = await startServeProcess(...quick);
  const { stderr } = await newUser().run(listAll, { env });
  expect(stderr).toMatch(/^\S+ · [\d,]+ of 10,000 requests left.*\n$/);
});

test('the progress of a list names the wait for the quota', async () => {
  const reset = String(Math.ceil(Date.now() / 1_000) + 60);
  const { env } = await startPages(9, (page) => ({
    'x-ratelimit-limit': '3',
    'x-ratelimit-remaining': String(Math.max(0, 3 - page)),
    'x-ratelimit-reset': reset,
  }));
  const terminal = openTerminal(newUser().home, listAll, { env, columns: 120 });
  await terminal.see(/Fetched 3 pets\. Waiting \d+s for the quota/);
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
  expectCursor(terminal.output());
});
