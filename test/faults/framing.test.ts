import { add, list, reply, rex, rexListed, rexShown, testFaults } from '../support/faults.js';

const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const chunked = `${json}transfer-encoding: chunked\r\n\r\n`;
const whole = reply(200, `[${rex}]`);

testFaults('a body whose frame is odd: %s', [
  {
    name: 'half a status line',
    run: list,
    replies: ['HTTP/1.1 2'],
    exitCode: 8,
    sent: 3,
    stderr: [
      '{"error":{"code":"connection_lost","message":"127.0.0.1:PORT closed the connection before its answer was whole","hint":"try again","exitCode":8}}',
    ],
  },
  {
    name: 'half a status line, add',
    run: add,
    replies: ['HTTP/1.1 2'],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"no_answer","message":"127.0.0.1:PORT gave no whole answer; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","exitCode":9}}',
    ],
  },
  {
    name: 'half of the headers',
    run: list,
    replies: [`${json}content-le`],
    exitCode: 8,
    sent: 3,
    stderr: [
      '{"error":{"code":"connection_lost","message":"127.0.0.1:PORT closed the connection before its answer was whole","hint":"try again","exitCode":8}}',
    ],
  },
  {
    name: 'a length longer than the body',
    run: list,
    replies: [`${json}content-length: 99\r\n\r\n[{"id":1`],
    exitCode: 8,
    sent: 2,
    stderr: [
      '{"error":{"code":"connection_lost","message":"127.0.0.1:PORT closed the connection before its answer was whole","hint":"try again","exitCode":8}}',
    ],
  },
  {
    name: 'a length longer than the body, once',
    run: list,
    replies: [`${json}content-length: 99\r\n\r\n[`, whole],
    exitCode: 0,
    sent: 2,
    stdout: rexListed,
  },
  {
    name: 'a length longer than the body, api',
    run: 'api /pets',
    replies: [`${json}content-length: 99\r\n\r\n[`],
    exitCode: 8,
    sent: 2,
    stderr: [
      'error: 127.0.0.1:PORT closed the connection before its answer was whole',
      '  hint: try again',
    ],
  },
  {
    name: 'chunks that are cut off',
    run: list,
    replies: [`${chunked}ff\r\n[{"id":1`],
    exitCode: 8,
    sent: 2,
    stderr: [
      '{"error":{"code":"connection_lost","message":"127.0.0.1:PORT closed the connection before its answer was whole","hint":"try again","exitCode":8}}',
    ],
  },
  {
    name: 'chunks that are cut off, once',
    run: 'pets get 1 --json',
    replies: [`${chunked}ff\r\n{"id":1`, reply(200, rex)],
    exitCode: 0,
    sent: 2,
    stdout: rexShown,
    stderr: [
      'warning: pets get is deprecated: the service removes it on 5 December 2030, in 1475 days; use petstore pets list --status instead',
    ],
  },
  {
    name: 'the last chunk that never comes',
    run: list,
    replies: [`${chunked}2\r\n[]\r\n`],
    exitCode: 8,
    sent: 2,
    stderr: [
      '{"error":{"code":"connection_lost","message":"127.0.0.1:PORT closed the connection before its answer was whole","hint":"try again","exitCode":8}}',
    ],
  },
  {
    name: 'a body that ends with the connection, too early',
    run: list,
    replies: [`${json}\r\n[${rex},{"id":`],
    exitCode: 8,
    sent: 2,
    stderr: [
      '{"error":{"code":"truncated_answer","message":"the answer of 127.0.0.1:PORT was cut off","hint":"try again","status":200,"exitCode":8}}',
    ],
  },
  {
    name: 'a body that ends with the connection, too early, once',
    run: list,
    replies: [`${json}\r\n[${rex},`, whole],
    exitCode: 0,
    sent: 2,
    stdout: rexListed,
  },
  {
    name: 'a body that ends with the connection, whole',
    run: list,
    replies: [`${json}\r\n[${rex}]`],
    exitCode: 0,
    sent: 1,
    stdout: rexListed,
  },
  {
    name: 'two lengths that differ',
    run: list,
    replies: [`${json}content-length: 2\r\ncontent-length: 3\r\n\r\n[]`],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'two lengths that differ, in one line',
    run: list,
    replies: [`${json}content-length: 2, 3\r\n\r\n[]`],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'two lengths that are the same',
    run: list,
    replies: [`${json}content-length: 2\r\ncontent-length: 2\r\n\r\n[]`],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'a length that is negative',
    run: list,
    replies: [`${json}content-length: -2\r\n\r\n[]`],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'a length that is no number',
    run: list,
    replies: [`${json}content-length: two\r\n\r\n[]`],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'a length and chunks',
    run: list,
    replies: [`${json}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'a chunk without a size',
    run: list,
    replies: [`${chunked}zz\r\n[]\r\n0\r\n\r\n`],
    exitCode: 8,
    sent: 2,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'a chunk whose size is negative',
    run: list,
    replies: [`${chunked}-2\r\n[]\r\n0\r\n\r\n`],
    exitCode: 8,
    sent: 2,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'a chunk whose size overflows',
    run: list,
    replies: [`${chunked}fffffffffffffffff\r\n[]\r\n0\r\n\r\n`],
    exitCode: 8,
    sent: 2,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'a chunk longer than its size',
    run: list,
    replies: [`${chunked}1\r\n[]\r\n0\r\n\r\n`],
    exitCode: 8,
    sent: 2,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'chunks with extensions and a trailer',
    run: list,
    replies: [`${chunked}2;a=b\r\n[]\r\n0\r\nx-sum: 1\r\n\r\n`],
    exitCode: 0,
    sent: 1,
    stdout: ['[]'],
  },
]);
