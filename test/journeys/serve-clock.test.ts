import { expect, test } from 'vitest';
import { newUser } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';

test('an operation returns 410 on the day after its removal, and the client explains it', async () => {
  const user = newUser();
  const { env, baseUrl, apiKey } = await startServeProcess('--clock', '2030-12-06');
  const run = await user.run(['pets', 'get', '1'], { env });
  expect({ stdout: run.stdout, exitCode: run.exitCode }).toEqual({ stdout: '', exitCode: 4 });
  expect(run.stderr).toContain('error: this operation was removed; use GET /v1/pets instead (HTTP 410)\n');
  expect(run.stderr).toContain('hint: run petstore pets list');
  // The replacement works, and the quota resets in the time of this machine.
  const { stdout, stderr, exitCode } = await user.run(['pets', 'list', '--limit', '1'], { env });
  expect({ found: stdout.includes('Ada'), exitCode }).toEqual({ found: true, exitCode: 0 });
  expect(stderr).toMatch(/58 of 60 requests left · resets in …/);
  const { headers } = await fetch(`${baseUrl}/pets`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(headers.get('date')).toMatch(/^Fri, 06 Dec 2030 00:00:\d\d GMT$/);
  const reset = Number(headers.get('x-ratelimit-reset')) * 1000;
  expect(new Date(reset).toISOString()).toMatch(/^2030-12-06T00:0/);
});

test('time advances from --clock, so that an operation is removed on time', async () => {
  const user = newUser();
  const { env } = await startServeProcess('--clock', '2030-12-04T23:59:58Z');
  const deadline = Date.now() + 40_000;
  const codes: (number | undefined)[] = [];
  do {
    codes.push((await user.run(['pets', 'get', '1', '-q'], { env })).exitCode);
  } while (codes.at(-1) === 0 && Date.now() < deadline);
  expect(codes.at(-1)).toBe(4);
  expect([...new Set(codes)].every((code) => code === 0 || code === 4)).toBe(true);
});

test('the client waits for a quota of another time by its own clock', async () => {
  const limits = ['--plan', 'enterprise', '--per-minute', '1', '--per-day', '100'];
  const { env } = await startServeProcess('--clock', '2030-12-06', ...limits);
  await newUser().run(['pets', 'list'], { env });
  const run = await newUser().run(['pets', 'list', '--json', '--max-wait', '0'], { env });
  const { error } = JSON.parse(run.stderr.trimEnd().split('\n').at(-1) as string);
  expect(error).toMatchObject({ code: 'rate_limited', exitCode: 6 });
  expect(Date.parse(error.retryAt) - Date.now()).toBeLessThan(75_000);
});
