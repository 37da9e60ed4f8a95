import { expect, test } from 'vitest';
import { withTrace } from '../../src/client/with-trace.js';
import { answer, answering } from '../support/client.js';
import { testKey } from '../support/store.js';

test('tells of request and answer, and of headers only those that hold no secret', async () => {
  const lines: string[] = [];
  const headers = {
    'x-ratelimit-remaining': '59',
    'content-type': 'application/json',
    'set-cookie': 'session=secret',
    'www-authenticate': 'Bearer secret',
    link: ['<a>; rel="next"', '<b>; rel="last"'],
  };
  await withTrace(answering(answer(200, '[]', headers)), (line) => lines.push(line))(
    request,
    never,
  );
  expect(lines).toEqual([
    '> GET http://127.0.0.1:4010/v1/pets?limit=1',
    '< 200  content-type: application/json  link: <a>; rel="next",<b>; rel="last"  x-ratelimit-remaining: 59',
  ]);
});

test('tells of the request alone where no answer comes', async () => {
  const lines: string[] = [];
  const send = withTrace(answering(), (line) => lines.push(line));
  await expect(send(request, never)).rejects.toThrow('no more answers');
  expect(lines).toEqual(['> GET http://127.0.0.1:4010/v1/pets?limit=1']);
});

const never = new AbortController().signal;
const request = {
  method: 'GET',
  origin: 'http://127.0.0.1:4010',
  target: '/v1/pets?limit=1',
  headers: { authorization: `Bearer ${testKey}` },
};
