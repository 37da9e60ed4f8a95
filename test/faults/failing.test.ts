import { html, list, refusal, reply, rex, rexListed, testFaults } from '../support/faults.js';

const whole = reply(200, `[${rex}]`);

testFaults('a service that fails: %s', [
  {
    name: '500 twice',
    run: list,
    replies: [refusal(500, 'oh'), refusal(500, 'oh'), whole],
    exitCode: 0,
    sent: 3,
    stdout: rexListed,
  },
  {
    name: '500 for ever',
    run: list,
    replies: [refusal(500, 'oh')],
    exitCode: 7,
    sent: 3,
    stderr: ['{"error":{"code":"said","message":"oh","status":500,"exitCode":7}}'],
  },
  {
    name: '502 for ever',
    run: 'pets list',
    replies: [reply(502, html, 'content-type: text/html')],
    exitCode: 7,
    sent: 3,
    stderr: ['error: the service answered 502'],
  },
  {
    name: '504 and then 404',
    run: 'pets get 1 --json',
    replies: [reply(504), refusal(404, 'no such pet')],
    exitCode: 4,
    sent: 2,
    stderr: [
      'warning: pets get is deprecated: the service removes it on 5 December 2030, in 1475 days; use petstore pets list --status instead',
      '{"error":{"code":"said","message":"no such pet","status":404,"exitCode":4}}',
    ],
  },
  {
    name: '501',
    run: list,
    replies: [reply(501)],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"http_501","message":"the service answered 501","status":501,"exitCode":7}}',
    ],
  },
  {
    name: '505',
    run: list,
    replies: [reply(505)],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"http_505","message":"the service answered 505","status":505,"exitCode":7}}',
    ],
  },
  {
    name: '511',
    run: list,
    replies: [reply(511, html)],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"http_511","message":"the service answered 511","status":511,"exitCode":7}}',
    ],
  },
  {
    name: '599',
    run: list,
    replies: [reply(599)],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"http_599","message":"the service answered 599","status":599,"exitCode":7}}',
    ],
  },
  {
    name: '600',
    run: list,
    replies: [reply(600)],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"http_600","message":"the service answered 600","status":600,"exitCode":7}}',
    ],
  },
  {
    name: '999',
    run: list,
    replies: [reply(999)],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"http_999","message":"the service answered 999","status":999,"exitCode":7}}',
    ],
  },
  {
    name: '503 with seconds, once',
    run: list,
    replies: [refusal(503, 'busy', 'retry-after: 7'), whole],
    exitCode: 0,
    sent: 2,
    stdout: rexListed,
    stderr: ['waiting 7s since the service answered 503'],
  },
  {
    name: '503 with seconds, for ever',
    run: list,
    replies: [refusal(503, 'busy', 'retry-after: 7')],
    exitCode: 7,
    sent: 3,
    stderr: [
      'waiting 7s since the service answered 503',
      'waiting 7s since the service answered 503',
      '{"error":{"code":"said","message":"busy","status":503,"exitCode":7,"retryAt":"2026-11-21T12:00:21.000Z"}}',
    ],
  },
  {
    name: '503 with a time beyond --max-wait',
    run: list,
    replies: [refusal(503, 'busy', 'retry-after: 90')],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"said","message":"busy","status":503,"exitCode":7,"retryAt":"2026-11-21T12:01:30.000Z"}}',
    ],
  },
  ...[500, 502, 504, 408, 425].map((status) => ({
    name: `${status} with seconds, once`,
    run: list,
    replies: [refusal(status, 'busy', 'retry-after: 7'), whole],
    exitCode: 0,
    sent: 2,
    stdout: rexListed,
    stderr: [`waiting 7s since the service answered ${status}`],
  })),
  {
    name: '503 without a time',
    run: list,
    replies: [refusal(503, 'busy'), whole],
    exitCode: 0,
    sent: 2,
    stdout: rexListed,
  },
  {
    name: 'an answer to a failing service, api',
    run: 'api /pets',
    replies: [refusal(500, 'oh')],
    exitCode: 7,
    sent: 3,
    stdout: ['{', '  "code": "said",', '  "message": "oh",', '  "status": 500', '}'],
    stderr: ['error: oh'],
  },
]);
