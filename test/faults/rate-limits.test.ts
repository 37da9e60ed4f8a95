import { list, refusal, reply, rex, rexListed, rexRow, testFaults } from '../support/faults.js';

const whole = reply(200, `[${rex}]`);
const slow = (...headers: string[]) => refusal(429, 'slow down', ...headers);
const words = 'pets list --no-header';

/** The clock stands at Sat, 21 Nov 2026 12:00:00 GMT, which is 1795262400. */
testFaults('handles a 429 with %s', [
  {
    name: 'no headers twice',
    run: words,
    replies: [slow(), slow(), whole],
    sent: 3,
    stdout: rexRow,
    stderr: ['Waiting 30s for the quota of 127.0.0.1:PORT.', 'Waiting 1m for the quota of 127.0.0.1:PORT.'],
  },
  {
    name: 'Retry-After repeatedly',
    replies: [slow('retry-after: 7')],
    exitCode: 6,
    sent: 3,
    stderr: [
      'Waiting 7s for the quota of 127.0.0.1:PORT.',
      'Waiting 7s for the quota of 127.0.0.1:PORT.',
      '127.0.0.1:PORT · 0 requests left · resets in 7s',
      '{"error":{"code":"said","message":"slow down (HTTP 429)","status":429,"exitCode":6,"retryAt":"2026-11-21T12:00:21.851Z","next":["petstore pets list --json"]}}',
    ],
  },
  {
    name: 'a wait beyond --max-wait',
    replies: [slow('retry-after: 61')],
    exitCode: 6,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 1m 1s',
      '{"error":{"code":"said","message":"slow down (HTTP 429)","hint":"pass --max-wait 61 to wait","status":429,"exitCode":6,"retryAt":"2026-11-21T12:01:01.000Z","next":["petstore pets list --json --max-wait 61"]}}',
    ],
  },
  {
    name: 'a wait beyond --max-wait and a text message',
    run: 'pets list',
    replies: [slow('retry-after: 3600')],
    exitCode: 6,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 1h',
      'error: slow down (HTTP 429)',
      '  retry in 1h, at 13:00:00',
      '  hint: pass --max-wait 3600 to wait',
    ],
  },
  {
    name: 'a wait until the next day',
    run: 'pets list',
    replies: [slow('retry-after: 43200')],
    exitCode: 6,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 12h',
      'error: slow down (HTTP 429)',
      '  retry in 12h, at 2026-11-22 00:00:00',
    ],
  },
  {
    name: 'a Retry-After of 400 digits',
    replies: [slow(`retry-after: ${'9'.repeat(400)}`)],
    exitCode: 6,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 2911753d 12h',
      '{"error":{"code":"said","message":"slow down (HTTP 429)","status":429,"exitCode":6,"retryAt":"9999-01-01T00:00:00.000Z","next":["petstore pets list --json"]}}',
    ],
  },
  {
    name: 'HTML under --max-wait 0',
    run: `${list} --max-wait 0`,
    replies: [reply(429, '<html>', 'content-type: text/html')],
    exitCode: 6,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 30s',
      '{"error":{"code":"rate_limited","message":"the service rate limited this API key (HTTP 429)","hint":"pass --max-wait 60 to wait","status":429,"exitCode":6,"retryAt":"2026-11-21T12:00:30.000Z","next":["petstore pets list --json --max-wait 0 --max-wait 60"]}}',
    ],
  },
  {
    name: 'a truncated body',
    run: words,
    replies: ['HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 99\r\n\r\n{', whole],
    sent: 2,
    stdout: rexRow,
    stderr: ['Waiting 7s for the quota of 127.0.0.1:PORT.'],
  },
  {
    name: 'Retry-After followed by a 500',
    replies: [slow('retry-after: 7'), reply(500), whole],
    sent: 3,
    stdout: rexListed,
    stderr: ['Waiting 7s for the quota of 127.0.0.1:PORT.'],
  },
  {
    name: 'Retry-After to a raw request',
    run: 'api /pets',
    replies: [slow('retry-after: 61')],
    exitCode: 6,
    stdout: ['{', '  "code": "said",', '  "message": "slow down",', '  "status": 429', '}'],
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 1m 1s',
      'error: slow down (HTTP 429)',
      '  retry in 1m 1s, at 12:01:01',
      '  hint: pass --max-wait 61 to wait',
    ],
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
      '< 429 in 0 ms  content-length: 50  retry-after: 7',
      '* the service responded with HTTP 429; retrying (1 of at most 2)',
      'Waiting 7s for the quota of 127.0.0.1:PORT.',
      '> GET http://127.0.0.1:PORT/v1/pets?limit=20',
      '< 200 in 0 ms  content-length: 54',
    ],
  },
]);
