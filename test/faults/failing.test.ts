import {
  answered,
  fails,
  getWarning,
  html,
  list,
  refusal,
  reply,
  rex,
  rexListed,
  testFaults,
} from '../support/faults.js';

const whole = reply(200, `[${rex}]`);

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
  {
    name: '502 repeatedly',
    run: 'pets list',
    replies: [reply(502, html, 'content-type: text/html')],
    exitCode: 7,
    sent: 3,
    stderr: ['error: the service failed (HTTP 502)'],
  },
  {
    name: '504 and then 404',
    run: 'pets get 1 --json',
    replies: [reply(504), refusal(404, 'no such pet')],
    exitCode: 4,
    sent: 2,
    stderr: [getWarning, '{"error":{"code":"said","message":"no such pet (HTTP 404)","status":404,"exitCode":4}}'],
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
  ...[500, 502, 504, 408, 425].map((status) => ({
    name: `${status} once, with Retry-After`,
    run: list,
    replies: [refusal(status, 'busy', 'retry-after: 7'), whole],
    exitCode: 0,
    sent: 2,
    stdout: rexListed,
    stderr: [`Waiting 7s to retry (the service responded with HTTP ${status}).`],
  })),
  {
    name: '503 once, without Retry-After',
    replies: [refusal(503, 'busy'), whole],
    sent: 2,
    stdout: rexListed,
  },
  {
    name: '500 for a raw request',
    run: 'api /pets',
    replies: [refusal(500, 'oh')],
    exitCode: 7,
    sent: 3,
    stdout: ['{', '  "code": "said",', '  "message": "oh",', '  "status": 500', '}'],
    stderr: ['error: oh (HTTP 500)'],
  },
]);
