import { refusal, reply, rex, rexRow, testFaults } from '../support/faults.js';

const whole = reply(200, `[${rex}]`);
const slow = (...headers: string[]) => refusal(429, 'slow down', ...headers);
const words = 'pets list --no-header';

/** The clock stands at Sat, 21 Nov 2026 12:00:00 GMT, which is 1795262400. */
testFaults('waits after a 429 with %s', [
  {
    name: 'Retry-After in seconds',
    run: words,
    replies: [slow('retry-after: 7'), whole],
    sent: 2,
    stdout: rexRow,
    stderr: ['Waiting 7s for the quota of 127.0.0.1:PORT.'],
  },
  {
    name: 'a Retry-After date by a clock that is three hours ahead',
    run: words,
    replies: [slow('date: Sat, 21 Nov 2026 15:00:00 GMT', 'retry-after: Sat, 21 Nov 2026 15:00:42 GMT'), whole],
    sent: 2,
    stdout: rexRow,
    stderr: ['Waiting 42s for the quota of 127.0.0.1:PORT.'],
  },
  {
    name: 'two Retry-After lines',
    run: words,
    replies: [slow('retry-after: 40', 'retry-after: 20'), whole],
    sent: 2,
    stdout: rexRow,
    stderr: ['Waiting 40s for the quota of 127.0.0.1:PORT.'],
  },
  {
    name: 'only a quota reset',
    run: words,
    replies: [slow('x-ratelimit-limit: 60', 'x-ratelimit-remaining: 0', 'x-ratelimit-reset: 1795262442'), whole],
    sent: 2,
    stdout: rexRow,
    stderr: ['Waiting 42s for the quota of 127.0.0.1:PORT.'],
  },
  {
    name: 'HTML and no headers',
    run: words,
    replies: [reply(429, '<html>', 'content-type: text/html'), whole],
    sent: 2,
    stdout: rexRow,
    stderr: ['Waiting 30s for the quota of 127.0.0.1:PORT.'],
  },
  ...['-5', '1.5', 'abc', '0x10', 'Infinity', '+5', '', '1e3', '5 s', 'Sat, 21 Nov 2026', '2026-11-21T12:00:42Z'].map(
    (value) => ({
      name: `the invalid Retry-After "${value}"`,
      run: words,
      replies: [slow(`retry-after: ${value}`), whole],
      exitCode: 0,
      sent: 2,
      stdout: ['1  Rex  1  sold'],
      stderr: ['Waiting 30s for the quota of 127.0.0.1:PORT.'],
    }),
  ),
]);
