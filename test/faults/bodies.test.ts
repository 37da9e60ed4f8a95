import { gzipSync } from 'node:zlib';
import { list, reply, rex, rexListed, testFaults } from '../support/faults.js';

const table = 'pets list --no-header';

testFaults('a body, whole or not what it should be: %s', [
  {
    name: 'gzip',
    run: list,
    replies: [reply(200, gzipSync('[]'), 'content-encoding: gzip')],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is compressed, though that was not asked for","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
  {
    name: 'an encoding that nobody knows',
    run: list,
    replies: [reply(200, 'x', 'content-encoding: zzz')],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is compressed, though that was not asked for","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
  {
    name: 'identity',
    run: list,
    replies: [reply(200, '[]', 'content-encoding: identity')],
    exitCode: 0,
    sent: 1,
    stdout: ['[]'],
  },
  {
    name: 'an error that is compressed',
    run: list,
    replies: [reply(400, gzipSync('{"message":"m"}'), 'content-encoding: gzip')],
    exitCode: 5,
    sent: 1,
    stderr: [
      '{"error":{"code":"invalid_request","message":"the service answered 400","status":400,"exitCode":5}}',
    ],
  },
  {
    name: 'bytes that are no UTF-8',
    run: list,
    replies: [reply(200, Buffer.from('[{"name":"\xff"}]', 'latin1'))],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is not UTF-8","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
  {
    name: 'UTF-16',
    run: list,
    replies: [reply(200, Buffer.from('\ufeff[]', 'utf16le'))],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is not UTF-8","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
  {
    name: 'a byte order mark',
    run: list,
    replies: [reply(200, `\ufeff[${rex}]`)],
    exitCode: 0,
    sent: 1,
    stdout: rexListed,
  },
  {
    name: 'lone surrogates, written as escapes',
    run: list,
    replies: [reply(200, '[{"id":1,"name":"a\\ud800b","categoryId":1}]')],
    exitCode: 0,
    sent: 1,
    stdout: [
      '[',
      '  {',
      '    "id": 1,',
      '    "name": "a\\ud800b",',
      '    "categoryId": 1',
      '  }',
      ']',
    ],
  },
  {
    name: 'lone surrogates in the table',
    run: table,
    replies: [reply(200, '[{"id":1,"name":"a\\ud800b","categoryId":1}]')],
    exitCode: 0,
    sent: 1,
    stdout: ['1  a\\ud800b  1  -'],
  },
  {
    name: '40 kB of [',
    run: list,
    replies: [reply(200, '['.repeat(40_000))],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is nested too deeply (more than 64 levels)","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
  {
    name: '40 kB of {"a":',
    run: list,
    replies: [reply(200, '{"a":'.repeat(8_000))],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is nested too deeply (more than 64 levels)","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
  {
    name: 'more than 16 MiB',
    run: list,
    replies: [
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 17825792\r\n\r\n');
        socket.write('x'.repeat(17_825_792));
      },
    ],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"answer_too_large","message":"127.0.0.1:PORT answered with more than 16 MiB","exitCode":7}}',
    ],
  },
  {
    name: 'more than 16 MiB in chunks',
    run: list,
    replies: [
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1100000\r\n');
        socket.write('x'.repeat(0x1100000));
      },
    ],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"answer_too_large","message":"127.0.0.1:PORT answered with more than 16 MiB","exitCode":7}}',
    ],
  },
  {
    name: 'a key that comes twice',
    run: list,
    replies: [reply(200, '[{"id":1,"id":2,"name":"Rex","categoryId":1}]')],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: a key comes twice (at offset 10)","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
  {
    name: '__proto__',
    run: list,
    replies: [reply(200, '[{"__proto__":{"name":"x"},"id":1,"name":"Rex","categoryId":1}]')],
    exitCode: 0,
    sent: 1,
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
  {
    name: 'NaN',
    run: list,
    replies: [reply(200, '[{"id":NaN}]')],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is not valid JSON (at offset 7)","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
  {
    name: 'bytes after the end',
    run: list,
    replies: [reply(200, '[] x')],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is not valid JSON (at offset 3)","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
  {
    name: 'lines of JSON',
    run: list,
    replies: [reply(200, `${rex}\n${rex}\n`)],
    exitCode: 7,
    sent: 1,
    stderr: [
      '{"error":{"code":"unreadable_answer","message":"the answer is not JSON as the interface has it: it is not valid JSON (at offset 53)","hint":"check that the base URL leads to the store, version segment included","status":200,"exitCode":7}}',
    ],
  },
]);
