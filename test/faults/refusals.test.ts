import { add, html, list, refusal, reply, rex, rexListed, testFaults } from '../support/faults.js';

const whole = reply(200, `[${rex}]`);

testFaults('an answer that refuses: %s', [
  {
    name: '401',
    run: list,
    replies: [refusal(401, 'who are you?')],
    exitCode: 3,
    sent: 1,
    stderr: [
      '{"error":{"code":"said","message":"who are you?","hint":"the key came from PETSTORE_API_KEY; petstore auth login stores another","status":401,"exitCode":3}}',
    ],
  },
  {
    name: '401 with a challenge',
    run: 'pets list',
    replies: [reply(401, '', 'www-authenticate: Bearer realm="\x9b31mx"')],
    exitCode: 3,
    sent: 1,
    stderr: [
      'error: the service answered 401',
      '  hint: the key came from PETSTORE_API_KEY; petstore auth login stores another',
    ],
  },
  {
    name: '403',
    run: list,
    replies: [refusal(403, 'not yours')],
    exitCode: 3,
    sent: 1,
    stderr: [
      '{"error":{"code":"said","message":"not yours","hint":"the key came from PETSTORE_API_KEY; it may not do this, or it is banned","status":403,"exitCode":3}}',
    ],
  },
  {
    name: '403 in words',
    run: 'pets get 1',
    replies: [refusal(403, 'not yours')],
    exitCode: 3,
    sent: 1,
    stderr: [
      'warning: pets get is deprecated: the service removes it on 5 December 2030, in 1475 days; use petstore pets list --status instead',
      'error: not yours',
      '  hint: the key came from PETSTORE_API_KEY; it may not do this, or it is banned',
    ],
  },
  {
    name: '403 with a time',
    run: list,
    replies: [refusal(403, 'banned', 'retry-after: 600')],
    exitCode: 3,
    sent: 1,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 10m',
      '{"error":{"code":"said","message":"banned","hint":"the key came from PETSTORE_API_KEY; it may not do this, or it is banned","status":403,"exitCode":3,"retryAt":"2026-11-21T12:10:00.000Z"}}',
    ],
  },
  {
    name: '404, get',
    run: 'pets get 1 --json',
    replies: [refusal(404, 'no such pet')],
    exitCode: 4,
    sent: 1,
    stderr: [
      'warning: pets get is deprecated: the service removes it on 5 December 2030, in 1475 days; use petstore pets list --status instead',
      '{"error":{"code":"said","message":"no such pet","status":404,"exitCode":4}}',
    ],
  },
  {
    name: '404 as a web page',
    run: list,
    replies: [reply(404, html, 'content-type: text/html')],
    exitCode: 4,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_found","message":"the service answered 404","hint":"check that the base URL leads to the store","status":404,"exitCode":4}}',
    ],
  },
  {
    name: '405',
    run: add,
    replies: [refusal(405, 'not here', 'allow: GET')],
    exitCode: 5,
    sent: 1,
    stderr: ['{"error":{"code":"said","message":"not here","status":405,"exitCode":5}}'],
  },
  {
    name: '407 from the service',
    run: list,
    replies: [reply(407)],
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"http_407","message":"the service answered 407","status":407,"exitCode":5}}',
    ],
  },
  {
    name: '408 once',
    run: list,
    replies: [reply(408, '', 'connection: close'), whole],
    exitCode: 0,
    sent: 2,
    stdout: rexListed,
  },
  {
    name: '408 for ever',
    run: list,
    replies: [reply(408, '', 'connection: close')],
    exitCode: 5,
    sent: 2,
    stderr: [
      '{"error":{"code":"request_timeout","message":"the service answered 408","status":408,"exitCode":5}}',
    ],
  },
  {
    name: '410 with a sunset',
    run: 'pets get 1',
    replies: [refusal(410, 'gone for good', 'sunset: Sat, 31 Oct 2026 00:00:00 GMT')],
    exitCode: 4,
    sent: 1,
    stderr: [
      'warning: pets get is deprecated: the service removes it on 5 December 2030, in 1475 days; use petstore pets list --status instead',
      'error: gone for good',
      '  hint: its end was announced for 2026-10-31; use petstore pets list --status available|pending|sold instead',
    ],
  },
  {
    name: '413, add',
    run: add,
    replies: [reply(413)],
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"payload_too_large","message":"the service answered 413","status":413,"exitCode":5}}',
    ],
  },
  {
    name: '421',
    run: list,
    replies: [reply(421)],
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"http_421","message":"the service answered 421","status":421,"exitCode":5}}',
    ],
  },
  {
    name: '425 once',
    run: list,
    replies: [reply(425), whole],
    exitCode: 0,
    sent: 2,
    stdout: rexListed,
  },
  {
    name: '426',
    run: list,
    replies: [reply(426, '', 'upgrade: TLS/1.3')],
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"http_426","message":"the service answered 426","status":426,"exitCode":5}}',
    ],
  },
  {
    name: '431',
    run: list,
    replies: [reply(431)],
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"headers_too_large","message":"the service answered 431","status":431,"exitCode":5}}',
    ],
  },
  {
    name: '451',
    run: list,
    replies: [refusal(451, 'not in this country')],
    exitCode: 5,
    sent: 1,
    stderr: ['{"error":{"code":"said","message":"not in this country","status":451,"exitCode":5}}'],
  },
]);
