import { reply, rex, testFaults } from '../support/faults.js';

const table = 'pets list --no-header --limit 5';
const ok = (...headers: string[]) => [reply(200, `[${rex}]`, ...headers)];
const quota = (limit: string, remaining: string, reset: string) =>
  ok(
    `x-ratelimit-limit: ${limit}`,
    `x-ratelimit-remaining: ${remaining}`,
    `x-ratelimit-reset: ${reset}`,
  );

/** The clock stands at Sat, 21 Nov 2026 12:00:00 GMT, which is 1795262400. */
testFaults('what is told of the quota: %s', [
  {
    name: 'a quota',
    run: table,
    replies: quota('60', '57', '1795262442'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
    stderr: ['127.0.0.1:PORT · 57 of 60 requests left · resets in 42s'],
  },
  {
    name: 'a quota that is NaN',
    run: table,
    replies: quota('NaN', 'NaN', 'NaN'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
  },
  {
    name: 'a quota that is negative',
    run: table,
    replies: quota('-1', '-1', '-1'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
  },
  {
    name: 'a quota that is huge',
    run: table,
    replies: quota('9'.repeat(30), '9'.repeat(30), '9'.repeat(30)),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
  },
  {
    name: 'a quota of fractions',
    run: table,
    replies: quota('60.0', '5.5', '1.5'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
  },
  {
    name: 'a quota that came twice',
    run: table,
    replies: ok(
      'x-ratelimit-limit: 60',
      'x-ratelimit-limit: 1000',
      'x-ratelimit-remaining: 5',
      'x-ratelimit-remaining: 900',
    ),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
  },
  {
    name: 'more left than the limit',
    run: table,
    replies: quota('60', '900', '1795262442'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
    stderr: ['127.0.0.1:PORT · 60 of 60 requests left · resets in 42s'],
  },
  {
    name: 'a reset in 1970',
    run: table,
    replies: quota('60', '57', '42'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
    stderr: ['127.0.0.1:PORT · 57 of 60 requests left'],
  },
  {
    name: 'a reset in milliseconds',
    run: table,
    replies: quota('60', '57', '1795262442000'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
    stderr: ['127.0.0.1:PORT · 57 of 60 requests left'],
  },
  {
    name: 'a reset in the past',
    run: table,
    replies: quota('60', '57', '1795262300'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
    stderr: ['127.0.0.1:PORT · 57 of 60 requests left'],
  },
  {
    name: 'a reset by a clock three hours ahead',
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
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
    stderr: ['127.0.0.1:PORT · 57 of 60 requests left · resets in 42s'],
  },
  {
    name: 'only what is left',
    run: table,
    replies: ok('x-ratelimit-remaining: 57'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
    stderr: ['127.0.0.1:PORT · 57 requests left'],
  },
]);
