import { gzipSync } from 'node:zlib';
import { fails, reply, rex, rexListed, testFaults, unreadable } from '../support/faults.js';

const table = 'pets list --no-header';

testFaults('handles a response body with %s', [
  {
    name: 'gzip encoding',
    replies: [reply(200, gzipSync('[]'), 'content-encoding: gzip')],
    ...unreadable('is compressed, which the request did not allow'),
  },
  {
    name: 'invalid UTF-8',
    replies: [reply(200, Buffer.from('[{"name":"\xff"}]', 'latin1'))],
    ...unreadable('cannot be read as JSON: invalid UTF-8'),
  },
  { name: 'a byte order mark', replies: [reply(200, `\ufeff[${rex}]`)], stdout: rexListed },
  {
    name: 'escaped lone surrogates in the table',
    run: table,
    replies: [reply(200, '[{"id":1,"name":"a\\ud800b","categoryId":1}]')],
    stdout: ['1  a\\ud800b  1  -'],
  },
  {
    name: '40 kB of [',
    replies: [reply(200, '['.repeat(40_000))],
    ...unreadable('cannot be read as JSON: nested more than 64 levels deep'),
  },
  {
    name: 'more than 16 MiB',
    replies: [
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 17825792\r\n\r\n');
        socket.write('x'.repeat(17_825_792));
      },
    ],
    ...fails(7, 'invalid_response', '127.0.0.1:PORT sent a response larger than 16 MiB (HTTP 200)', {
      hint: 'check the base URL',
      status: 200,
    }),
  },
  {
    name: 'a __proto__ field',
    replies: [reply(200, '[{"__proto__":{"name":"x"},"id":1,"name":"Rex","categoryId":1}]')],
    stdout: [
      '[',
      '  {',
      '    "__proto__": {',
      '      "name": "x"',
      '    },',
      '    "id": 1,',
      '    "name": "Rex",',
      '    "categoryId": 1',
      '  }',
      ']',
    ],
  },
]);
