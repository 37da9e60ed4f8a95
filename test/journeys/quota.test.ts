import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { temporaryDirectory } from '../support/petstore.js';
import { openShell } from '../support/terminal.js';

/** Returns a response that reports this quota of a window that resets in `seconds`. */
function report(limit: number, remaining: number, seconds: number) {
  return {
    headers: {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + seconds),
    },
  };
}

test('quota shows a bar for minute and day, and a bar of 9,936 of 10,000 is not full', async () => {
  const { env, requests } = await startCannedServer(report(60, 57, 50), report(10_000, 9_936, 40_000));
  const script = 'petstore pets list -q; petstore pets list -q; petstore quota';
  const shell = openShell(temporaryDirectory(), script, { env });
  expect(await shell.exitCode).toBe(0);
  const text = stripVTControlCharacters(shell.output());
  expect(text).toMatch(/^ {2}minute {2}█{19}░ {2}56 of 60 requests left · resets in \d+s\r$/m);
  expect(text).toMatch(/^ {2}day {5}█{19}░ {2}9,936 of 10,000 requests left · resets in 11h \d+m\r$/m);
  expect(requests).toHaveLength(2);
});

test('quota --refresh prints the quota once, and sends nothing if no request is left', async () => {
  const { env, requests } = await startCannedServer(report(60, 1, 50), report(60, 0, 50));
  const script = 'petstore quota --refresh; petstore quota --refresh; petstore quota --refresh';
  const shell = openShell(temporaryDirectory(), script, { env });
  expect(await shell.exitCode).toBe(0);
  const text = stripVTControlCharacters(shell.output());
  expect(text.match(/\d+ of 60 requests left · resets in/g)).toEqual(
    ['1 of', '0 of', '0 of'].map((left) => `${left} 60 requests left · resets in`),
  );
  expect(text.match(/Requests are paused, so nothing was sent\./g)).toHaveLength(1);
  expect(requests).toHaveLength(2);
});
