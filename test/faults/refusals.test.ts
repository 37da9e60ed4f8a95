import { answered, fails, getWarning, html, refusal, reply, rex, rexListed, testFaults } from '../support/faults.js';

const whole = reply(200, `[${rex}]`);

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
    name: '403 with a text message',
    run: 'pets get 1',
    replies: [refusal(403, 'not yours')],
    exitCode: 3,
    stderr: [
      getWarning,
      'error: not yours (HTTP 403)',
      '  hint: check that the API key has permission and is not banned',
    ],
  },
  {
    name: '403 with Retry-After',
    replies: [refusal(403, 'banned', 'retry-after: 600')],
    exitCode: 3,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 10m',
      '{"error":{"code":"said","message":"banned (HTTP 403)","hint":"check that the API key has permission and is not banned","status":403,"exitCode":3,"retryAt":"2026-11-21T12:10:00.000Z"}}',
    ],
  },
  {
    name: '404 with HTML',
    replies: [reply(404, html, 'content-type: text/html')],
    ...fails(4, 'not_found', 'the service found nothing at this URL (HTTP 404)', {
      hint: 'check the base URL, including a version segment such as /v1',
      status: 404,
    }),
  },
  { name: '407 from the service', replies: [reply(407)], ...answered(5, 'http_407', 407) },
  {
    name: '408 once, then 200',
    replies: [reply(408, '', 'connection: close'), whole],
    sent: 2,
    stdout: rexListed,
  },
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
    stderr: [getWarning, 'error: gone for good (HTTP 410)', '  hint: run petstore pets list --all instead'],
  },
]);
