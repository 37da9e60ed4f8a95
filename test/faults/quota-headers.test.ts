import { reply, rex, rexRow, testFaults } from '../support/faults.js';

const table = 'pets list --no-header --limit 5';
const ok = (...headers: string[]) => [reply(200, `[${rex}]`, ...headers)];
const quota = (limit: string, remaining: string, reset: string) =>
  ok(`x-ratelimit-limit: ${limit}`, `x-ratelimit-remaining: ${remaining}`, `x-ratelimit-reset: ${reset}`);

/** The clock stands at Sat, 21 Nov 2026 12:00:00 GMT, which is 1795262400. */
testFaults('reports %s', [
  {
    name: 'a quota',
    run: table,
    replies: quota('60', '57', '1795262442'),
    stdout: rexRow,
    stderr: ['127.0.0.1:PORT · 57 of 60 requests left · resets in 42s'],
  },
  {
    name: 'a negative remaining count',
    run: table,
    replies: quota('60', '-3', '1795262442'),
    stdout: rexRow,
    stderr: ['127.0.0.1:PORT · 0 of 60 requests left · resets in 42s'],
  },
  {
    name: 'no quota from duplicate headers',
    run: table,
    replies: ok(
      'x-ratelimit-limit: 60',
      'x-ratelimit-limit: 1000',
      'x-ratelimit-remaining: 5',
      'x-ratelimit-remaining: 900',
    ),
    stdout: rexRow,
  },
  {
    name: 'a reset in the past',
    run: table,
    replies: quota('60', '57', '1795262300'),
    stdout: rexRow,
    stderr: ['127.0.0.1:PORT · 57 of 60 requests left'],
  },
  {
    name: 'a reset by a clock that is three hours ahead',
    run: table,
    replies: [
      reply(
        200,
        `[${rex}]`,
        'date: Sat, 21 Nov 2026 15:00:00 GMT',
        'x-ratelimit-limit: 60',
        'x-ratelimit-remaining: 57',
        'x-ratelimit-reset: 1795273242',
      ),
    ],
    stdout: rexRow,
    stderr: ['127.0.0.1:PORT · 57 of 60 requests left · resets in 42s'],
  },
]);
