import { expect, test } from 'vitest';
import { add, list, openFaultyService, reply, rex } from '../support/faults.js';
import { startRawServer } from '../support/raw-server.js';

const statuses = [300, 301, 302, 303, 307, 308];

test.each(statuses)('%d is not followed and the API key is sent nowhere', async (status) => {
  const other = await startRawServer((socket) => socket.end(reply(200, `[${rex}]`)));
  const { wire, run } = await openFaultyService([reply(status, '', `location: ${other.origin}/v1/pets`)]);
  const listed = await run(list);
  expect({ ...listed, stderr: listed.stderr.replace(other.origin, 'OTHER') }).toEqual({
    stdout: '',
    stderr: `{"error":{"code":"redirected","message":"the service redirects to OTHER/v1/pets, and petstore follows no redirect with a key","hint":"set the base URL to the address that is meant","status":${status},"exitCode":7}}\n`,
    exitCode: 7,
  });
  const added = await run(add);
  expect({ ...added, stderr: added.stderr.replace(other.origin, 'OTHER') }).toEqual({
    stdout: '',
    stderr: `{"error":{"code":"redirected","message":"the service redirects to OTHER/v1/pets, and petstore follows no redirect with a key; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","status":${status},"exitCode":9}}\n`,
    exitCode: 9,
  });
  expect(wire.requests.map((request) => request.split(' ')[0])).toEqual(['GET', 'POST']);
  expect(other.connections()).toBe(0);
});

test.each([
  ['/v1/pets/', 'error: the service redirects to /v1/pets/, and petstore follows no redirect with a key'],
  [
    '//elsewhere.example/',
    'error: the service redirects to //elsewhere.example/, and petstore follows no redirect with a key',
  ],
  ['', 'error: the service redirects to , and petstore follows no redirect with a key'],
  ['http://[', 'error: the service redirects to http://[, and petstore follows no redirect with a key'],
])('a redirect to %j is not followed', async (location, message) => {
  const { wire, run } = await openFaultyService([reply(302, '', `location: ${location}`)]);
  expect(await run('pets list')).toEqual({
    stdout: '',
    stderr: `${message}\n  hint: set the base URL to the address that is meant\n`,
    exitCode: 7,
  });
  expect(wire.requests).toHaveLength(1);
});
