import { fails, getWarning, notHttp, reply, rex, rexListed, rexRow, testFaults } from '../support/faults.js';

const get = 'pets get 1 -o tsv --no-header --fields id';
const table = 'pets list --no-header --limit 5';
const ok = (...headers: string[]) => [reply(200, `[${rex}]`, ...headers)];

/** The clock stands at Sat, 21 Nov 2026 12:00:00 GMT, which is 1795262400. */
testFaults('handles %s in the headers', [
  {
    name: 'a reset by a clock that is three hours ahead',
    run: table,
    replies: ok(
      ...['date: Sat, 21 Nov 2026 15:00:00 GMT', 'x-ratelimit-reset: 1795273242'],
      ...['x-ratelimit-limit: 60', 'x-ratelimit-remaining: 57'],
    ),
    stdout: rexRow,
    stderr: ['127.0.0.1:PORT · 57 of 60 requests left · resets in 42s'],
  },
  {
    name: 'the known sunset of pets get',
    run: get,
    replies: [reply(200, rex, 'sunset: Thu, 05 Dec 2030 00:00:00 GMT')],
    stdout: ['1'],
    stderr: [getWarning],
  },
  {
    name: 'another sunset of pets get',
    run: get,
    replies: [reply(200, rex, 'deprecation: @1767225600', 'sunset: Fri, 01 Jan 2027 00:00:00 GMT')],
    stdout: ['1'],
    stderr: [getWarning.replace('5 December 2030', '1 January 2027')],
  },
  {
    name: 'a control character in a location',
    run: 'pets list',
    replies: [reply(302, '', 'location: https://x.example/\x9b31m\xa0')],
    exitCode: 7,
    stderr: [
      'error: the service redirected the request to https://x.example/\\u009b31m  (HTTP 302), and petstore does not follow redirects',
      '  hint: check the base URL, including a version segment such as /v1',
    ],
  },
  {
    name: 'a malformed link',
    run: table,
    replies: ok('link: <<<; rel=next'),
    stdout: rexRow,
  },
  {
    name: 'a link to another origin under --all',
    run: 'pets list --all --json',
    replies: ok('link: <https://elsewhere.example/v1/pets>; rel="next"'),
    ...fails(7, 'invalid_response', 'the link to the next page points to another origin', {
      hint: 'report the link to the operator of the service',
    }),
  },
  { name: 'a wrong content type', replies: ok('content-type: text/html'), stdout: rexListed },
  {
    name: 'control characters under -v',
    run: `${table} -v`,
    replies: ok('content-type: application/json\x9b', 'date: \x9b31mnow', 'set-cookie: secret'),
    stdout: rexRow,
    stderr: [
      '> GET http://127.0.0.1:PORT/v1/pets?limit=5',
      '< 200 in 0 ms  content-type: application/json\\u009b  date: \\u009b31mnow  content-length: 54',
    ],
  },
  { name: 'a NUL byte', replies: ok('x-a: \0'), ...notHttp },
  {
    name: 'control characters under api -i',
    run: 'api /pets -i',
    replies: ok('x-a: \x9b31m\xe9'),
    stdout: ['HTTP/1.1 200', 'x-a: \\u009b31mé', 'content-length: 54', '', ...rexListed],
  },
]);
