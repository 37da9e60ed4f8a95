import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { fakeClock } from '../support/clock.js';
import { add, list, openFaultyService } from '../support/faults.js';
import { createTestCli } from '../support/test-cli.js';

const late =
  '{"error":{"code":"timeout","message":"127.0.0.1:PORT did not send a complete response within 9 s","hint":"increase --timeout","exitCode":8}}';
const lateBody = late.replace('within 9 s', 'within 9 s (HTTP 200)').replace('"exitCode"', '"status":200,"exitCode"');
const hint = 'run petstore pets list --all to look for the pet before you add it again';
const unknown = `{"error":{"code":"outcome_unknown","message":"127.0.0.1:PORT did not send a complete response within 9 s; it is unknown whether the pet was added","hint":"${hint}","exitCode":9,"next":["petstore pets list --all"]}}`;
const created = `{"error":{"code":"outcome_unknown","message":"127.0.0.1:PORT did not send a complete response within 9 s (HTTP 201); the pet was added, but its id is unknown","hint":"${hint}","status":201,"exitCode":9,"next":["petstore pets list --all"]}}`;
const missing =
  '{"error":{"code":"not_found","message":"the service found nothing at this URL (HTTP 404)","hint":"check the base URL, including a version segment such as /v1","status":404,"exitCode":4}}';

const ok = 'HTTP/1.1 200 OK\r\n';
const made = 'HTTP/1.1 201 Created\r\n';
const early = 'HTTP/1.1 102 Processing\r\n\r\n';
const long = 'content-length: 99\r\n\r\n';

test.each<[string, string, start: string, drip: string, exitCode: number, stderr: string]>([
  ['no byte of a list arrives', list, '', '', 8, late],
  ['no byte arrives after a create', add, '', '', 9, unknown],
  ['the headers of a list drip', list, ok, 'x: 1\r\n', 8, late],
  ['the headers of a create drip', add, made, 'x: 1\r\n', 9, unknown],
  ['the chunks of a list drip', list, `${ok}transfer-encoding: chunked\r\n\r\n`, '1\r\n \r\n', 8, lateBody],
  ['the body of a create drips', add, made + long, ' ', 9, created],
  ['the body of an error drips', list, `HTTP/1.1 404 No\r\n${long}`, ' ', 4, missing],
  ['102 repeats', list, early, early, 8, late],
])('fails after --timeout 9 if %s', async (_, words, start, drip, exitCode, stderr) => {
  const clock = fakeClock();
  let socket: Socket | undefined;
  const { wire, run } = await openFaultyService(
    [
      (asked) => {
        socket = asked;
        socket.write(start);
      },
    ],
    createTestCli({ clock }),
  );
  const ended = run(`${words} --timeout 9`);
  await wire.firstRequest;
  for (let second = 0; second < 9; second += 1) {
    socket?.write(drip);
    // Lets the written bytes arrive first.
    await new Promise((resolve) => setTimeout(resolve, 10));
    clock.advance(1_000);
  }
  expect(await ended).toEqual({ stdout: '', stderr: `${stderr}\n`, exitCode });
  expect(wire.requests).toHaveLength(1);
});
