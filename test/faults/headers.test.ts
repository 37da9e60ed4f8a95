import { list, reply, rex, rexListed, testFaults } from '../support/faults.js';

const get = 'pets get 1 -o tsv --no-header --fields id';
const table = 'pets list --no-header --limit 5';
const ok = (...headers: string[]) => [reply(200, `[${rex}]`, ...headers)];

/** The clock stands at Sat, 21 Nov 2026 12:00:00 GMT, which is 1795262400. */
testFaults('what headers tell: %s', [
  {
    name: 'a deprecation and a sunset',
    run: table,
    replies: ok('deprecation: @1767225600', 'sunset: Sat, 31 Oct 2030 00:00:00 GMT'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
    stderr: [
      'warning: the service marks this operation as deprecated; it will be removed on 2030-10-31, in 1440 days',
    ],
  },
  {
    name: 'a deprecation that is malformed',
    run: table,
    replies: ok('deprecation: true', 'sunset: soon'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
  },
  {
    name: 'a deprecation with escapes',
    run: table,
    replies: ok('deprecation: @17672\x9b31m', 'sunset: Thu, 31 Oct 2030 00:00:00 GMT\x9b'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
  },
  {
    name: 'the sunset that is known, get',
    run: get,
    replies: [reply(200, rex, 'sunset: Thu, 05 Dec 2030 00:00:00 GMT')],
    exitCode: 0,
    sent: 1,
    stdout: ['1'],
    stderr: [
      'warning: pets get is deprecated: the service removes it on 5 December 2030, in 1475 days; use petstore pets list --status instead',
    ],
  },
  {
    name: 'another sunset, get',
    run: get,
    replies: [reply(200, rex, 'deprecation: @1767225600', 'sunset: Fri, 01 Jan 2027 00:00:00 GMT')],
    exitCode: 0,
    sent: 1,
    stdout: ['1'],
    stderr: [
      'warning: pets get is deprecated: the service removes it on 5 December 2030, in 1475 days; use petstore pets list --status instead',
      'warning: the service marks this operation as deprecated; it will be removed on 2027-01-01, in 41 days',
    ],
  },
  {
    name: 'C1 in a location',
    run: 'pets list',
    replies: [reply(302, '', 'location: https://x.example/\x9b31m\xa0')],
    exitCode: 7,
    sent: 1,
    stderr: [
      'error: the service redirects to https://x.example/\\u009b31m , and petstore follows no redirect with a key',
      '  hint: set the base URL to the address that is meant',
    ],
  },
  {
    name: 'a link to the next page',
    run: table,
    replies: ok('link: </v1/pets?limit=5&after=1>; rel="next"'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
    stderr: ['more pets follow: --all'],
  },
  {
    name: 'a link that is malformed',
    run: table,
    replies: ok('link: <<<; rel=next'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
  },
  {
    name: 'a link to another origin, --all',
    run: 'pets list --all --json',
    replies: ok('link: <https://elsewhere.example/v1/pets>; rel="next"'),
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"bad_next_link","message":"the link to the next page leads to another origin","hint":"leave --all or --paginate out to see the first page","exitCode":7}}',
    ],
  },
  {
    name: 'a link to itself, --all',
    run: 'pets list --all --json',
    replies: ok('link: </v1/pets?limit=100>; rel="next"'),
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"bad_next_link","message":"the link to the next page leads back to a page that was read","hint":"leave --all or --paginate out to see the first page","exitCode":7}}',
    ],
  },
  {
    name: 'a wrong content type',
    run: list,
    replies: ok('content-type: text/html'),
    exitCode: 0,
    sent: 1,
    stdout: rexListed,
  },
  {
    name: 'headers with -v',
    run: `${table} -v`,
    replies: ok('content-type: application/json\x9b', 'date: \x9b31mnow', 'set-cookie: secret'),
    exitCode: 0,
    sent: 1,
    stdout: ['1  Rex  1  sold'],
    stderr: [
      '> GET http://127.0.0.1:PORT/v1/pets?limit=5',
      '< 200  content-type: application/json\\u009b  content-length: 54  date: \\u009b31mnow',
    ],
  },
  {
    name: 'an escape in a header',
    run: list,
    replies: ok('x-a: \x1b[31m'),
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'a zero byte in a header',
    run: list,
    replies: ok('x-a: \0'),
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'headers with api -i',
    run: 'api /pets -i',
    replies: ok('x-a: \x9b31m\xe9'),
    exitCode: 0,
    sent: 1,
    stdout: ['HTTP/1.1 200', 'x-a: \\u009b31mé', 'content-length: 54', '', ...rexListed],
  },
]);
