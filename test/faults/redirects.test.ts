import { expect, test } from 'vitest';
import { add, list, openFaultyService, reply, rex } from '../support/faults.js';
import { startRawServer } from '../support/http-server.js';

const statuses = [301, 307];

test.each(statuses)('%d is not followed and the API key is sent nowhere', async (status) => {
  const other = await startRawServer((socket) => socket.end(reply(200, `[${rex}]`)));
  const { wire, run } = await openFaultyService([reply(status, '', `location: ${other.origin}/v1/pets`)]);
  const listed = await run(list);
  expect({ ...listed, stderr: listed.stderr.replaceAll(other.origin, 'OTHER') }).toEqual({
    stdout: '',
    stderr: `{"error":{"code":"redirected","message":"the service redirected the request to OTHER/v1/pets (HTTP ${status}), and petstore does not follow redirects","hint":"check the base URL, including a version segment such as /v1","status":${status},"exitCode":7}}\n`,
    exitCode: 7,
  });
  const added = await run(add);
  expect({ ...added, stderr: added.stderr.replaceAll(other.origin, 'OTHER') }).toEqual({
    stdout: '',
    stderr: `{"error":{"code":"redirected","message":"the service redirected the request to OTHER/v1/pets (HTTP ${status}), and petstore does not follow redirects; it is unknown whether the pet was added","hint":"run petstore pets list --all to look for the pet before you add it again","status":${status},"exitCode":9,"next":["petstore pets list --all"]}}\n`,
    exitCode: 9,
  });
  expect(wire.requests.map((request) => request.split(' ')[0])).toEqual(['GET', 'POST']);
  expect(other.connections()).toBe(0);
});
