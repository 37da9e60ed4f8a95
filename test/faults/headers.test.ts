import { fails, getWarning, notHttp, reply, rex, rexListed, rexRow, testFaults } from '../support/faults.js';

const get = 'pets get 1 -o tsv --no-header --fields id';
const table = 'pets list --no-header --limit 5';
const ok = (...headers: string[]) => [reply(200, `[${rex}]`, ...headers)];

/** The clock stands at Sat, 21 Nov 2026 12:00:00 GMT, which is 1795262400. */
testFaults('handles %s in the headers', [
  {
    name: 'a deprecation and a sunset',
    run: table,
    replies: ok('deprecation: @1767225600', 'sunset: Sat, 31 Oct 2030 00:00:00 GMT'),
    stdout: rexRow,
    stderr: ['! the service has deprecated this operation and will remove it on 2030-10-31'],
  },
  {
    name: 'a malformed deprecation',
    run: table,
    replies: ok('deprecation: true', 'sunset: soon'),
    stdout: rexRow,
  },
  {
    name: 'control characters in a deprecation',
    run: table,
    replies: ok('deprecation: @17672\x9b31m', 'sunset: Thu, 31 Oct 2030 00:00:00 GMT\x9b'),
    stdout: rexRow,
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
    stderr: [getWarning, '! the service has deprecated this operation and will remove it on 2027-01-01'],
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
    name: 'a link to the next page',
    run: 'pets list --limit 1 --no-header',
    replies: ok('link: </v1/pets?limit=5&after=1>; rel="next"'),
    stdout: rexRow,
    stderr: ['Showing the first pet. Use --all to list every pet.'],
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
  {
    name: 'a link to the same page under --all',
    run: 'pets list --all --json',
    replies: ok('link: </v1/pets?limit=100>; rel="next"'),
    ...fails(7, 'invalid_response', 'the link to the next page points back to an earlier page', {
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
      '< 200 in 0 ms  content-type: application/json\\u009b  content-length: 54  date: \\u009b31mnow',
    ],
  },
  { name: 'an escape character', replies: ok('x-a: \x1b[31m'), ...notHttp },
  { name: 'a NUL byte', replies: ok('x-a: \0'), ...notHttp },
  {
    name: 'control characters under api -i',
    run: 'api /pets -i',
    replies: ok('x-a: \x9b31m\xe9'),
    stdout: ['HTTP/1.1 200', 'x-a: \\u009b31mé', 'content-length: 54', '', ...rexListed],
  },
]);
