import { expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { newUser } from '../support/petstore.js';
import { expectCursor, keys, openTerminal } from '../support/terminal.js';

test.each([
  ['half of the remaining quota is used up', 1],
  ['nothing is left', 0],
])('pets list --watch counts down if %s', async (_, remaining) => {
  const headers = {
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 50),
  };
  const { env } = await startCannedServer({ headers, body: '[]' });
  const terminal = openTerminal(newUser().home, ['pets', 'list', '--watch'], { env });
  await terminal.see('Watching 0 pets');
  await terminal.see(/Next poll in 4\ds/);
  await terminal.see(/Next poll in 4\ds/);
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(0);
  expectCursor(terminal.output());
});
