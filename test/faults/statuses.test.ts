import {
  answered,
  fails,
  html,
  list,
  refusal,
  reply,
  rex,
  rexListed,
  testFaults,
  unreadable,
} from '../support/faults.js';

const whole = reply(200, `[${rex}]`);

testFaults('handles a response by its status: %s', [
  {
    name: '204 to a list',
    replies: [reply(204)],
    ...unreadable('cannot be read as JSON: empty input', 204),
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
]);

testFaults('handles a client error: %s', [
  {
    name: '401 with a challenge',
    run: 'pets list',
    replies: [reply(401, '', 'www-authenticate: Bearer realm="\x9b31mx"')],
    exitCode: 3,
    stderr: [
      'error: the service rejected the API key (HTTP 401)',
      '  hint: check PETSTORE_API_KEY, or unset it and run petstore auth login to save another API key',
    ],
  },
  {
    name: '403 with Retry-After',
    replies: [refusal(403, 'banned', 'retry-after: 600')],
    exitCode: 3,
    stderr: [
      '{"error":{"code":"said","message":"banned (HTTP 403)","hint":"check that the API key has permission and is not banned","status":403,"exitCode":3,"retryAt":"2026-11-21T12:10:00.000Z"}}',
    ],
  },
  { name: '407 from the service', replies: [reply(407)], ...answered(5, 'http_407', 407) },
  {
    name: '408 repeatedly',
    replies: [reply(408, '', 'connection: close')],
    sent: 2,
    ...answered(5, 'http_408', 408),
  },
  {
    name: '410',
    run: 'pets get 1',
    replies: [refusal(410, 'gone for good')],
    exitCode: 4,
    stderr: ['error: gone for good (HTTP 410)', '  hint: run petstore pets list --all instead'],
  },
]);

testFaults('handles a failing service: %s', [
  {
    name: '500 twice, then 200',
    replies: [refusal(500, 'oh'), refusal(500, 'oh'), whole],
    sent: 3,
    stdout: rexListed,
  },
  {
    name: '500 repeatedly',
    replies: [refusal(500, 'oh')],
    sent: 3,
    ...fails(7, 'said', 'oh (HTTP 500)', { status: 500 }),
  },
  { name: '999', replies: [reply(999)], ...answered(7, 'http_999', 999) },
  {
    name: '503 once, with Retry-After',
    replies: [refusal(503, 'busy', 'retry-after: 7'), whole],
    sent: 2,
    stdout: rexListed,
    stderr: ['Waiting 7s to retry (the service responded with HTTP 503).'],
  },
  {
    name: '503 repeatedly, with Retry-After',
    replies: [refusal(503, 'busy', 'retry-after: 7')],
    exitCode: 7,
    sent: 3,
    stderr: [
      'Waiting 7s to retry (the service responded with HTTP 503).',
      'Waiting 7s to retry (the service responded with HTTP 503).',
      '{"error":{"code":"said","message":"busy (HTTP 503)","status":503,"exitCode":7,"retryAt":"2026-11-21T12:00:21.000Z"}}',
    ],
  },
  {
    name: '503 with Retry-After beyond --max-wait',
    replies: [refusal(503, 'busy', 'retry-after: 90')],
    ...fails(7, 'said', 'busy (HTTP 503)', { status: 503, retryAt: '2026-11-21T12:01:30.000Z' }),
  },
  ...[500, 408].map((status) => ({
    name: `${status} once, with Retry-After`,
    run: list,
    replies: [refusal(status, 'busy', 'retry-after: 7'), whole],
    exitCode: 0,
    sent: 2,
    stdout: rexListed,
    stderr: [`Waiting 7s to retry (the service responded with HTTP ${status}).`],
  })),
]);
