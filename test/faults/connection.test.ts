import dns from 'node:dns';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { autoAdvancingClock } from '../support/clock.js';
import {
  add,
  connectionLost,
  getWarning,
  lines,
  list,
  noAnswer,
  reply,
  rex,
  rexAdded,
  rexShown,
  runAgainst,
  testFaults,
} from '../support/faults.js';
import { newClosedOrigin } from '../support/http-server.js';
import { createFastTestCli } from '../support/test-cli.js';

const reset = (socket: Socket) => void socket.resetAndDestroy();

testFaults('handles %s', [
  { name: 'a reset after a list request', replies: [reset], sent: 3, ...connectionLost },
  { name: 'a reset after a create', run: add, replies: [reset], ...noAnswer() },
  {
    name: 'a reset after a raw DELETE',
    run: 'api /pets/1 -X DELETE',
    replies: [reset],
    exitCode: 9,
    stderr: [
      'error: 127.0.0.1:PORT closed the connection before the response was complete; it is unknown whether the request was processed',
      '  hint: check the data of the service before you send the request again',
    ],
  },
  {
    name: 'two resets and then a response',
    run: 'pets get 1 --json',
    replies: [reset, reset, reply(200, rex)],
    sent: 3,
    stdout: rexShown,
    stderr: [getWarning],
  },
  {
    name: 'one reset under -v',
    run: 'pets list --limit 1 -v',
    replies: [reset, reply(200, `[${rex}]`)],
    sent: 2,
    stdout: ['id  name  categoryId  status', '1   Rex   1           sold'],
    stderr: [
      '> GET http://127.0.0.1:PORT/v1/pets?limit=1',
      '* ECONNRESET; retrying in 1s (1 of at most 2)',
      '> GET http://127.0.0.1:PORT/v1/pets?limit=1',
      '< 200 in 0 ms  content-length: 54',
      'The list may be incomplete: the service sent as many pets as requested, but no link to a next page.',
    ],
  },
  { name: 'a close without a response to a list', replies: [''], sent: 3, ...connectionLost },
]);

test.each([
  ['pets list', ''],
  ['pets add --name Rex --category-id 1', '; nothing was sent'],
  ['api /pets', ''],
  ['orders list', ''],
])('fails %s after three refused connections within seconds', async (words, outcome) => {
  const clock = autoAdvancingClock();
  const run = await runAgainst(await newClosedOrigin(), words, createFastTestCli({ clock }));
  const stderr = lines([
    `error: 127.0.0.1:PORT refused the connection${outcome}`,
    '  hint: check that the service is running and that the base URL is correct',
  ]);
  expect(run).toEqual({ stdout: '', stderr, exitCode: 8 });
  expect(clock.waits.filter((wait) => wait > 0)).toEqual([500, 900]);
});

test('sends a create once the service accepts connections', async () => {
  const origin = await newClosedOrigin();
  const { port } = new URL(origin);
  const requests: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      requests.push(data.toString());
      socket.end(reply(201, rex));
    });
  });
  onTestFinished(() => void server.close());
  const clock = autoAdvancingClock();
  const late = {
    ...clock,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (ms <= 2_000 && !server.listening) {
        await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
      }
      return clock.sleep(ms, signal);
    },
  };
  const run = await runAgainst(origin, add, createFastTestCli({ clock: late }));
  expect(run).toEqual({ stdout: lines(rexShown), stderr: lines([rexAdded]), exitCode: 0 });
  expect(requests).toHaveLength(1);
});

test.each([
  ['ENOTFOUND', 1],
  ['EAI_AGAIN', 3],
])('looks up a host name that fails with %s %d times', async (code, times) => {
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((...args: unknown[]) => {
    const done = args.at(-1) as (error: Error) => void;
    setImmediate(done, Object.assign(new Error('no such name'), { code }));
  }) as never);
  onTestFinished(() => lookup.mockRestore());
  for (const [words, outcome] of [
    [list, ''],
    [add, '; nothing was sent'],
  ] as const) {
    lookup.mockClear();
    const env = { PETSTORE_BASE_URL: 'https://a.invalid/v1', PETSTORE_API_KEY: 'pets_0123456789' };
    expect(await createFastTestCli().run(words.split(' '), { env })).toEqual({
      stdout: '',
      stderr: `{"error":{"code":"connection_failed","message":"the DNS lookup of a.invalid failed (${code})${outcome}","hint":"check the base URL and your network connection","exitCode":8}}\n`,
      exitCode: 8,
    });
    expect(lookup).toHaveBeenCalledTimes(times);
  }
});
