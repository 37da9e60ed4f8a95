import { expect, test } from 'vitest';
import { add, list, openFaultyService, reply, rex } from '../support/faults.js';
import { startRawServer } from '../support/http-server.js';

const statuses = [300, 301, 302, 303, 307, 308];

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

test.each([
  [
    '/v1/pets/',
    'error: the service redirected the request to /v1/pets/ (HTTP 302), and petstore does not follow redirects',
  ],
  [
    '//elsewhere.example/',
    'error: the service redirected the request to //elsewhere.example/ (HTTP 302), and petstore does not follow redirects',
  ],
  ['', 'error: the service redirected the request (HTTP 302), and petstore does not follow redirects'],
  [
    'http://[',
    'error: the service redirected the request to http://[ (HTTP 302), and petstore does not follow redirects',
  ],
])('a redirect to %j is not followed', async (location, message) => {
  const hint = 'check the base URL, including a version segment such as /v1';
  const { wire, run } = await openFaultyService([reply(302, '', `location: ${location}`)]);
  expect(await run('pets list')).toEqual({
    stdout: '',
    stderr: `${message}\n  hint: ${hint}\n`,
    exitCode: 7,
  });
  expect(wire.requests).toHaveLength(1);
});
