import { list, refusal, reply, rex, rexListed, testFaults } from '../support/faults.js';

const whole = reply(200, `[${rex}]`);
const slow = (...headers: string[]) => refusal(429, 'slow down', ...headers);
const words = 'pets list --no-header';

/** The clock stands at Sat, 21 Nov 2026 12:00:00 GMT, which is 1795262400. */
testFaults('429: %s', [
  {
    name: 'no header, twice',
    run: words,
    replies: [slow(), slow(), whole],
    exitCode: 0,
    sent: 3,
    stdout: ['1  Rex  1  sold'],
    stderr: [
      'waiting 30s for the quota of 127.0.0.1:PORT',
      'waiting 1m for the quota of 127.0.0.1:PORT',
    ],
  },
  {
    name: 'seconds, for ever',
    run: list,
    replies: [slow('retry-after: 7')],
    exitCode: 6,
    sent: 3,
    stderr: [
      'waiting 7s for the quota of 127.0.0.1:PORT',
      'waiting 7s for the quota of 127.0.0.1:PORT',
      '127.0.0.1:PORT · 0 requests left · resets in 7s',
      '{"error":{"code":"said","message":"slow down","status":429,"exitCode":6,"retryAt":"2026-11-21T12:00:21.851Z"}}',
    ],
  },
  {
    name: 'more than --max-wait',
    run: list,
    replies: [slow('retry-after: 61')],
    exitCode: 6,
    sent: 1,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 1m 1s',
      '{"error":{"code":"said","message":"slow down","hint":"--max-wait 61 waits for it","status":429,"exitCode":6,"retryAt":"2026-11-21T12:01:01.000Z"}}',
    ],
  },
  {
    name: 'more than --max-wait, in words',
    run: 'pets list',
    replies: [slow('retry-after: 3600')],
    exitCode: 6,
    sent: 1,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 1h',
      'error: slow down',
      '  try again in 1h, at 13:00:00',
      '  hint: --max-wait 3600 waits for it',
    ],
  },
  {
    name: 'more than an hour, which nobody waits for',
    run: 'pets list',
    replies: [slow('retry-after: 3660')],
    exitCode: 6,
    sent: 1,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 1h 1m',
      'error: slow down',
      '  try again in 1h 1m, at 13:01:00',
    ],
  },
  {
    name: 'into the next day',
    run: 'pets list',
    replies: [slow('retry-after: 43200')],
    exitCode: 6,
    sent: 1,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 12h',
      'error: slow down',
      '  try again in 12h, at 2026-11-22 00:00:00',
    ],
  },
  {
    name: '60 days',
    run: 'pets list',
    replies: [slow('retry-after: 5184000')],
    exitCode: 6,
    sent: 1,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 60d',
      'error: slow down',
      '  try again in 60d, at 2027-01-20 12:00:00',
    ],
  },
  {
    name: 'a number without end',
    run: list,
    replies: [slow(`retry-after: ${'9'.repeat(400)}`)],
    exitCode: 6,
    sent: 1,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 99979221d 12h',
      '{"error":{"code":"said","message":"slow down","status":429,"exitCode":6,"retryAt":"+275760-09-13T00:00:00.000Z"}}',
    ],
  },
  {
    name: '--max-wait 0',
    run: `${list} --max-wait 0`,
    replies: [slow('retry-after: 1')],
    exitCode: 6,
    sent: 1,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 1s',
      '{"error":{"code":"said","message":"slow down","hint":"--max-wait 1 waits for it","status":429,"exitCode":6,"retryAt":"2026-11-21T12:00:01.000Z"}}',
    ],
  },
  {
    name: 'a page, --max-wait 0',
    run: `${list} --max-wait 0`,
    replies: [reply(429, '<html>', 'content-type: text/html')],
    exitCode: 6,
    sent: 1,
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 30s',
      '{"error":{"code":"rate_limited","message":"the service answered 429","hint":"--max-wait 30 waits for it","status":429,"exitCode":6,"retryAt":"2026-11-21T12:00:30.000Z"}}',
    ],
  },
  {
    name: 'an answer that is cut off',
    run: words,
    replies: ['HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 99\r\n\r\n{', whole],
    exitCode: 0,
    sent: 2,
    stdout: ['1  Rex  1  sold'],
    stderr: ['waiting 7s for the quota of 127.0.0.1:PORT'],
  },
  {
    name: 'and then 500',
    run: list,
    replies: [slow('retry-after: 7'), reply(500), whole],
    exitCode: 0,
    sent: 3,
    stdout: rexListed,
    stderr: ['waiting 7s for the quota of 127.0.0.1:PORT'],
  },
  {
    name: 'for a raw request',
    run: 'api /pets',
    replies: [slow('retry-after: 61')],
    exitCode: 6,
    sent: 1,
    stdout: ['{', '  "code": "said",', '  "message": "slow down",', '  "status": 429', '}'],
    stderr: [
      '127.0.0.1:PORT · 0 requests left · resets in 1m 1s',
      'error: slow down',
      '  try again in 1m 1s, at 12:01:01',
      '  hint: --max-wait 61 waits for it',
    ],
  },
  {
    name: 'with --quiet',
    run: `${words} -q`,
    replies: [slow('retry-after: 7'), whole],
    exitCode: 0,
    sent: 2,
    stdout: ['1  Rex  1  sold'],
  },
  {
    name: 'with -v',
    run: `${words} -v`,
    replies: [slow('retry-after: 7'), whole],
    exitCode: 0,
    sent: 2,
    stdout: ['1  Rex  1  sold'],
    stderr: [
      '> GET http://127.0.0.1:PORT/v1/pets',
      '< 429  content-length: 50  retry-after: 7',
      '* the service answered 429; trying again (1 of at most 2)',
      'waiting 7s for the quota of 127.0.0.1:PORT',
      '> GET http://127.0.0.1:PORT/v1/pets',
      '< 200  content-length: 54',
    ],
  },
]);
