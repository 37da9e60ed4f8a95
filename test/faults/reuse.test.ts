import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { autoAdvancingClock } from '../support/clock.js';
import { type FaultReply, lines, list, openFaultyService, refusal, reply } from '../support/faults.js';
import { createFastTestCli } from '../support/test-cli.js';

const all = 'pets list --all -o tsv --no-header --fields name';
const named = (name: string) => `[{"id":1,"name":"${name}","categoryId":1}]`;
const first = reply(200, named('one'), 'link: </v1/pets?limit=100&after=1>; rel="next"');
const second = reply(200, named('two'));
const forged = reply(200, named('forged'));

/** Writes the bytes and leaves the connection open. */
const open =
  (bytes: Uint8Array): FaultReply =>
  (socket) =>
    void socket.write(bytes);

test('an unsolicited response behind the first is never used as the next page', async () => {
  const { wire, run } = await openFaultyService([open(Buffer.concat([first, forged])), open(second)]);
  expect(await run(all)).toEqual({ stdout: lines(['one', 'two']), stderr: '', exitCode: 0 });
  expect(wire.requests).toHaveLength(2);
});

test('an unsolicited response on an idle connection closes it', async () => {
  let closed = Promise.resolve();
  const misbehave = (socket: Socket) => {
    closed = new Promise((resolve) => {
      socket.on('close', () => resolve());
    });
    socket.write(reply(500));
    setTimeout(() => socket.write(forged), 1);
  };
  const clock = autoAdvancingClock();
  // The pause before the second attempt lasts until the connection is gone.
  const sleep = async (ms: number, signal?: AbortSignal) => {
    if (ms <= 8_000) await closed;
    return clock.sleep(ms, signal);
  };
  const cli = createFastTestCli({ clock: { ...clock, sleep } });
  const { wire, run } = await openFaultyService([misbehave, open(second)], cli);
  expect(await run('pets list -o tsv --no-header --fields name')).toEqual({
    stdout: 'two\n',
    stderr: '',
    exitCode: 0,
  });
  expect({ requests: wire.requests.length, connections: wire.connections() }).toEqual({
    requests: 2,
    connections: 2,
  });
});

test.each<[string, (socket: Socket) => void]>([
  ['closed', (socket) => socket.end(first)],
  [
    'reset',
    (socket) => {
      socket.write(first);
      setTimeout(() => socket.resetAndDestroy(), 1);
    },
  ],
  ['announced as closing', (socket) => socket.write(first.toString().replace('\r\n', '\r\nconnection: close\r\n'))],
])('pages are complete though a connection is %s between two of them', async (_, misbehave) => {
  const { wire, run } = await openFaultyService([misbehave, open(second)]);
  expect(await run(all)).toEqual({ stdout: lines(['one', 'two']), stderr: '', exitCode: 0 });
  expect(wire.requests.length).toBeLessThanOrEqual(3);
});

test('a page is requested again after a reset', async () => {
  const { wire, run } = await openFaultyService([open(first), (socket) => void socket.resetAndDestroy(), open(second)]);
  expect(await run(all)).toEqual({ stdout: lines(['one', 'two']), stderr: '', exitCode: 0 });
  expect(wire.requests).toHaveLength(3);
  expect(wire.connections()).toBe(2);
});

test('a failing page ends the list after the earlier pages are streamed', async () => {
  const { wire, run } = await openFaultyService([open(first), open(refusal(500, 'oh'))]);
  expect(await run(all)).toEqual({
    stdout: 'one\n',
    stderr: '{"error":{"code":"said","message":"oh (HTTP 500)","status":500,"exitCode":7}}\n',
    exitCode: 7,
  });
  expect(wire.requests).toHaveLength(4);
});

test('a failing page leaves no JSON on stdout', async () => {
  const { run } = await openFaultyService([open(first), open(refusal(500, 'oh'))]);
  expect(await run(`${list} --all`)).toEqual({
    stdout: '',
    stderr: '{"error":{"code":"said","message":"oh (HTTP 500)","status":500,"exitCode":7}}\n',
    exitCode: 7,
  });
});
