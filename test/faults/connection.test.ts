import dns from 'node:dns';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { leapingClock } from '../support/clock.js';
import {
  add,
  lines,
  list,
  reply,
  rex,
  rexListed,
  rexShown,
  runAgainst,
  testFaults,
} from '../support/faults.js';
import { closedPort } from '../support/wire.js';
import { quickWorld } from '../support/world.js';

const reset = (socket: Socket) => void socket.resetAndDestroy();

testFaults('a connection that breaks: %s', [
  {
    name: 'a reset after the request, list',
    run: list,
    replies: [reset],
    exitCode: 8,
    sent: 3,
    stderr: [
      '{"error":{"code":"connection_lost","message":"127.0.0.1:PORT closed the connection before its answer was whole","hint":"try again","exitCode":8}}',
    ],
  },
  {
    name: 'a reset after the request, get',
    run: 'pets get 1 -o table',
    replies: [reset],
    exitCode: 8,
    sent: 3,
    stderr: [
      'warning: pets get is deprecated: the service removes it on 5 December 2030, in 1475 days; use petstore pets list --status instead',
      'error: 127.0.0.1:PORT closed the connection before its answer was whole',
      '  hint: try again',
    ],
  },
  {
    name: 'a reset after the request, add',
    run: add,
    replies: [reset],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"no_answer","message":"127.0.0.1:PORT gave no whole answer; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","exitCode":9}}',
    ],
  },
  {
    name: 'a reset after the request, add in words',
    run: 'pets add --name Rex --category-id 1',
    replies: [reset],
    exitCode: 9,
    sent: 1,
    stderr: [
      'error: 127.0.0.1:PORT gave no whole answer; whether the pet was added is not known',
      '  hint: petstore pets list --all shows whether it is there; adding it again may add it twice',
    ],
  },
  {
    name: 'a reset after the request, api',
    run: 'api /pets',
    replies: [reset],
    exitCode: 8,
    sent: 3,
    stderr: [
      'error: 127.0.0.1:PORT closed the connection before its answer was whole',
      '  hint: try again',
    ],
  },
  {
    name: 'a reset after the request, api that deletes',
    run: 'api /pets/1 -X DELETE',
    replies: [reset],
    exitCode: 9,
    sent: 1,
    stderr: [
      'error: 127.0.0.1:PORT gave no whole answer; whether the request was carried out is not known',
      '  hint: ask the service; sending it again may do it twice',
    ],
  },
  {
    name: 'a reset after the request, orders',
    run: 'orders list',
    replies: [reset],
    exitCode: 8,
    sent: 3,
    stderr: [
      'error: 127.0.0.1:PORT closed the connection before its answer was whole',
      '  hint: try again',
    ],
  },
  {
    name: 'one reset and then an answer',
    run: list,
    replies: [reset, reply(200, `[${rex}]`)],
    exitCode: 0,
    sent: 2,
    stdout: rexListed,
  },
  {
    name: 'two resets and then an answer',
    run: 'pets get 1 --json',
    replies: [reset, reset, reply(200, rex)],
    exitCode: 0,
    sent: 3,
    stdout: rexShown,
    stderr: [
      'warning: pets get is deprecated: the service removes it on 5 December 2030, in 1475 days; use petstore pets list --status instead',
    ],
  },
  {
    name: 'one reset, told with -v',
    run: 'pets list --limit 1 -v',
    replies: [reset, reply(200, `[${rex}]`)],
    exitCode: 0,
    sent: 2,
    stdout: ['id  name  categoryId  status', '1   Rex   1           sold'],
    stderr: [
      '> GET http://127.0.0.1:PORT/v1/pets?limit=1',
      '* ECONNRESET; trying again in 1s (1 of at most 2)',
      '> GET http://127.0.0.1:PORT/v1/pets?limit=1',
      '< 200  content-length: 54',
      'there may be more pets: the service sent as many as were asked for, and no next page',
    ],
  },
  {
    name: 'an end without an answer, list',
    run: list,
    replies: [''],
    exitCode: 8,
    sent: 3,
    stderr: [
      '{"error":{"code":"connection_lost","message":"127.0.0.1:PORT closed the connection before its answer was whole","hint":"try again","exitCode":8}}',
    ],
  },
  {
    name: 'an end without an answer, add',
    run: add,
    replies: [''],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"no_answer","message":"127.0.0.1:PORT gave no whole answer; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","exitCode":9}}',
    ],
  },
]);

const refused = [
  'error: 127.0.0.1:PORT refuses connections',
  '  hint: check that the service runs, and the base URL',
];

test.each(['pets list', 'pets add --name Rex --category-id 1', 'api /pets', 'orders list'])(
  'a refused connection ends %s after three attempts, within seconds',
  async (words) => {
    const clock = leapingClock();
    const run = await runAgainst(await closedPort(), words, quickWorld({ clock }));
    expect(run).toEqual({ stdout: '', stderr: lines(refused), exitCode: 8 });
    expect(clock.waits.filter((wait) => wait > 0)).toEqual([500, 900]);
  },
);

test('where nothing could be sent, a create is sent once the service is there', async () => {
  const origin = await closedPort();
  const { port } = new URL(origin);
  const requests: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      requests.push(data.toString());
      socket.end(reply(201, rex));
    });
  });
  onTestFinished(() => void server.close());
  const clock = leapingClock();
  const late = {
    ...clock,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (ms <= 2_000 && !server.listening) {
        await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
      }
      return clock.sleep(ms, signal);
    },
  };
  const run = await runAgainst(origin, add, quickWorld({ clock: late }));
  expect(run).toEqual({ stdout: lines(rexShown), stderr: '', exitCode: 0 });
  expect(requests).toHaveLength(1);
});

test.each([
  ['ENOTFOUND', 1],
  ['EAI_AGAIN', 3],
])('a name that is not found because of %s is looked up %d times', async (code, times) => {
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((...args: unknown[]) => {
    const done = args.at(-1) as (error: Error) => void;
    setImmediate(done, Object.assign(new Error('no such name'), { code }));
  }) as never);
  onTestFinished(() => lookup.mockRestore());
  for (const words of [list, add]) {
    lookup.mockClear();
    const env = { PETSTORE_BASE_URL: 'https://a.invalid/v1', PETSTORE_API_KEY: 'pets_0123456789' };
    expect(await quickWorld().run(words.split(' '), { env })).toEqual({
      stdout: '',
      stderr:
        '{"error":{"code":"name_not_found","message":"a.invalid cannot be found by its name","hint":"check the base URL and the network","exitCode":8}}\n',
      exitCode: 8,
    });
    expect(lookup).toHaveBeenCalledTimes(times);
  }
});
