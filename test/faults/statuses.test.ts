import { fails, getWarning, html, reply, rex, rexListed, testFaults, unreadable } from '../support/faults.js';

testFaults('handles a response by its status: %s', [
  {
    name: '204 to a list',
    replies: [reply(204)],
    ...unreadable('cannot be read as JSON: empty input', 204),
  },
  {
    name: '200 without a body to a get',
    run: 'pets get 1',
    replies: [reply(200)],
    exitCode: 7,
    stderr: [
      getWarning,
      'error: the response from 127.0.0.1:PORT cannot be read as JSON: empty input (HTTP 200)',
      '  hint: check the base URL, including a version segment such as /v1',
    ],
  },
  {
    name: '204 to a raw request',
    run: 'api /pets/1 -X DELETE',
    replies: [reply(204)],
    exitCode: 0,
    sent: 1,
  },
  {
    name: '204 to an order list',
    run: 'orders list --json',
    replies: [reply(204)],
    stdout: ['[]'],
  },
  {
    name: '206 to a list',
    replies: [reply(206, `[${rex}]`)],
    ...unreadable('is incomplete', 206),
  },
  {
    name: '304 to a list',
    replies: ['HTTP/1.1 304 Not Modified\r\n\r\n'],
    ...fails(7, 'redirected', 'the service redirected the request (HTTP 304), and petstore does not follow redirects', {
      hint: 'check the base URL, including a version segment such as /v1',
      status: 304,
    }),
  },
  { name: '299 with a list', replies: [reply(299, `[${rex}]`)], stdout: rexListed },
  {
    name: 'a captive portal',
    replies: [reply(200, html, 'content-type: text/html')],
    ...unreadable('is a web page, not JSON'),
  },
  {
    name: 'a captive portal with a text message',
    run: 'pets list',
    replies: [reply(200, html, 'content-type: text/html')],
    exitCode: 7,
    stderr: [
      'error: the response from 127.0.0.1:PORT is a web page, not JSON (HTTP 200)',
      '  hint: check the base URL, including a version segment such as /v1',
    ],
  },
]);
