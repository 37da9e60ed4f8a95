import { answered, fails, getWarning, html, refusal, reply, rex, rexListed, testFaults } from '../support/faults.js';

const whole = reply(200, `[${rex}]`);

testFaults('handles a client error: %s', [
  {
    name: '401 with a challenge',
    run: 'pets list',
    replies: [reply(401, '', 'www-authenticate: Bearer realm="\x9b31mx"')],
    exitCode: 3,
    stderr: [
      'error: the service answered 401',
      '  hint: the key came from PETSTORE_API_KEY; petstore auth login stores another',
    ],
  },
  {
    name: '403 with a text message',
    run: 'pets get 1',
    replies: [refusal(403, 'not yours')],
    exitCode: 3,
    stderr: [
      getWarning,
      'error: not yours',
      '  hint: the key came from PETSTORE_API_KEY; it may not do this, or it is banned',
    ],
  },
  {
    name: '403 with Retry-After',
    replies: [refusal(403, 'banned', 'retry-after: 600')],
    exitCode: 3,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 10m',
      '{"error":{"code":"said","message":"banned","hint":"the key came from PETSTORE_API_KEY; it may not do this, or it is banned","status":403,"exitCode":3,"retryAt":"2026-11-21T12:10:00.000Z"}}',
    ],
  },
  {
    name: '404 with HTML',
    replies: [reply(404, html, 'content-type: text/html')],
    ...fails(4, 'not_found', 'the service answered 404', {
      hint: 'check that the base URL leads to the store',
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
    ...answered(5, 'request_timeout', 408),
  },
  {
    name: '410 with a sunset',
    run: 'pets get 1',
    replies: [refusal(410, 'gone for good', 'sunset: Sat, 31 Oct 2026 00:00:00 GMT')],
    exitCode: 4,
    stderr: [
      getWarning,
      'error: gone for good',
      '  hint: its end was announced for 2026-10-31; use petstore pets list --status available|pending|sold instead',
    ],
  },
]);
