import { fails, getWarning, html, reply, rex, rexListed, testFaults, unreadable } from '../support/faults.js';

testFaults('handles a response by its status: %s', [
  {
    name: '204 to a list',
    replies: [reply(204)],
    ...unreadable('is not JSON as the interface has it: it is empty', 204),
  },
  {
    name: '200 without a body to a get',
    run: 'pets get 1',
    replies: [reply(200)],
    exitCode: 7,
    stderr: [
      getWarning,
      'error: the answer is not JSON as the interface has it: it is empty',
      '  hint: check that the base URL leads to the store, version segment included',
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
    ...unreadable('is a part, though all was asked for', 206),
  },
  {
    name: '304 to a list',
    replies: ['HTTP/1.1 304 Not Modified\r\n\r\n'],
    ...fails(7, 'redirected', 'the service redirects, and petstore follows no redirect with a key', {
      hint: 'set the base URL to the address that is meant',
      status: 304,
    }),
  },
  { name: '299 with a list', replies: [reply(299, `[${rex}]`)], stdout: rexListed },
  {
    name: 'a captive portal',
    replies: [reply(200, html, 'content-type: text/html')],
    ...unreadable('is not JSON as the interface has it: it is not valid JSON (at offset 0)'),
  },
  {
    name: 'a captive portal with a text message',
    run: 'pets list',
    replies: [reply(200, html, 'content-type: text/html')],
    exitCode: 7,
    stderr: [
      'error: the answer is not JSON as the interface has it: it is not valid JSON (at offset 0)',
      '  hint: check that the base URL leads to the store, version segment included',
    ],
  },
]);
