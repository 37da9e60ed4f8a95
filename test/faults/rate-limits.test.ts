import { refusal, reply, rex, rexRow, testFaults } from '../support/faults.js';

const whole = reply(200, `[${rex}]`);
const slow = (...headers: string[]) => refusal(429, 'slow down', ...headers);
const words = 'pets list --no-header';

/** The clock stands at Sat, 21 Nov 2026 12:00:00 GMT, which is 1795262400. */
testFaults('handles a 429 with %s', [
  {
    name: 'only a quota reset',
    run: words,
    replies: [slow('x-ratelimit-limit: 60', 'x-ratelimit-remaining: 0', 'x-ratelimit-reset: 1795262442'), whole],
    sent: 2,
    stdout: rexRow,
    stderr: ['Waiting 42s for the quota.', '127.0.0.1:PORT · 60 of 60 requests left · window has reset'],
  },
  {
    name: 'no headers twice',
    run: words,
    replies: [slow(), slow(), whole],
    sent: 3,
    stdout: rexRow,
    stderr: ['Waiting 30s for the quota.', 'Waiting 1m for the quota.'],
  },
  {
    name: 'Retry-After repeatedly',
    replies: [slow('retry-after: 7')],
    exitCode: 6,
    sent: 3,
    stderr: [
      'Waiting 7s for the quota.',
      'Waiting 7s for the quota.',
      '{"error":{"code":"said","message":"slow down (HTTP 429)","status":429,"exitCode":6,"retryAt":"2026-11-21T12:00:21.851Z","next":["petstore pets list --json"]}}',
    ],
  },
  {
    name: 'a wait beyond --max-wait',
    replies: [slow('retry-after: 61')],
    exitCode: 6,
    stderr: [
      '{"error":{"code":"said","message":"slow down (HTTP 429)","hint":"pass --max-wait 61 to wait","status":429,"exitCode":6,"retryAt":"2026-11-21T12:01:01.000Z","next":["petstore pets list --json --max-wait 61"]}}',
    ],
  },
  {
    name: 'a wait until the next day',
    run: 'pets list',
    replies: [slow('retry-after: 43200')],
    exitCode: 6,
    stderr: [
      'error: slow down (HTTP 429)',
      '  retry in 12h, at 2026-11-22 00:00:00',
      '  hint: run petstore quota --reset if the limit was raised',
    ],
  },
  {
    name: 'a truncated body',
    run: words,
    replies: ['HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 99\r\n\r\n{', whole],
    sent: 2,
    stdout: rexRow,
    stderr: ['Waiting 7s for the quota.'],
  },
  {
    name: 'Retry-After under --quiet',
    run: `${words} -q`,
    replies: [slow('retry-after: 7'), whole],
    sent: 2,
    stdout: rexRow,
  },
  {
    name: 'Retry-After under -v',
    run: `${words} -v`,
    replies: [slow('retry-after: 7'), whole],
    sent: 2,
    stdout: rexRow,
    stderr: [
      '> GET http://127.0.0.1:PORT/v1/pets?limit=20',
      '< 429 in 0 ms  retry-after: 7  content-length: 50',
      '* the service responded with HTTP 429; retrying (1 of at most 2)',
      'Waiting 7s for the quota.',
      '> GET http://127.0.0.1:PORT/v1/pets?limit=20',
      '< 200 in 0 ms  content-length: 54',
    ],
  },
]);
