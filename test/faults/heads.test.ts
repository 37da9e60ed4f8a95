import { add, list, reply, rex, rexListed, testFaults } from '../support/faults.js';

const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const created = 'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\n';
const whole = reply(200, `[${rex}]`);

testFaults('a head that is odd: %s', [
  {
    name: 'a body of HTTP/0.9',
    run: list,
    replies: [`[${rex}]`],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'the greeting of another protocol',
    run: list,
    replies: ['SSH-2.0-OpenSSH_9.6\r\n'],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'the greeting of another protocol, add',
    run: add,
    replies: ['SSH-2.0-OpenSSH_9.6\r\n'],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"no_answer","message":"127.0.0.1:PORT gave no whole answer; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","exitCode":9}}',
    ],
  },
  {
    name: 'HTTP/1.0',
    run: list,
    replies: ['HTTP/1.0 200 OK\r\n\r\n[]'],
    exitCode: 0,
    sent: 1,
    stdout: ['[]'],
  },
  {
    name: 'HTTP/2',
    run: list,
    replies: ['HTTP/2 200 OK\r\n\r\n[]'],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'a status line without words',
    run: list,
    replies: ['HTTP/1.1 200\r\ncontent-length: 2\r\n\r\n[]'],
    exitCode: 0,
    sent: 1,
    stdout: ['[]'],
  },
  {
    name: 'a status of two digits',
    run: list,
    replies: ['HTTP/1.1 20 OK\r\ncontent-length: 2\r\n\r\n[]'],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'lines that end with LF alone',
    run: list,
    replies: ['HTTP/1.1 200 OK\ncontent-length: 2\n\n[]'],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'a header that is folded',
    run: list,
    replies: [`${json}x-a: 1\r\n  2\r\ncontent-length: 2\r\n\r\n[]`],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'a header without a colon',
    run: list,
    replies: [`${json}nothing\r\ncontent-length: 2\r\n\r\n[]`],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'a space before the colon',
    run: list,
    replies: [`${json}content-length : 2\r\n\r\n[]`],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"not_http","message":"127.0.0.1:PORT answered with something that is not HTTP","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'headers of more than 64 KiB',
    run: list,
    replies: [`${json}x: ${'x'.repeat(70_000)}\r\n\r\n[]`],
    exitCode: 8,
    sent: 1,
    stderr: [
      '{"error":{"code":"headers_too_large","message":"127.0.0.1:PORT answered with headers of more than 64 KiB","hint":"check the base URL","exitCode":8}}',
    ],
  },
  {
    name: 'headers of more than 64 KiB, add',
    run: add,
    replies: [`${created}x: ${'x'.repeat(70_000)}\r\n\r\n[]`],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"no_answer","message":"127.0.0.1:PORT gave no whole answer; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","exitCode":9}}',
    ],
  },
  {
    name: 'headers of 60 KiB',
    run: list,
    replies: [`${json}x: ${'x'.repeat(60_000)}\r\ncontent-length: 2\r\n\r\n[]`],
    exitCode: 0,
    sent: 1,
    stdout: ['[]'],
  },
  {
    name: '102 and 103 before the answer',
    run: list,
    replies: [
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>; rel="next"\r\n\r\n${whole}`,
    ],
    exitCode: 0,
    sent: 1,
    stdout: rexListed,
  },
  {
    name: '103 and then nothing',
    run: list,
    replies: ['HTTP/1.1 103 Early Hints\r\n\r\n'],
    exitCode: 8,
    sent: 3,
    stderr: [
      '{"error":{"code":"connection_lost","message":"127.0.0.1:PORT closed the connection before its answer was whole","hint":"try again","exitCode":8}}',
    ],
  },
  {
    name: '100 that nobody asked for, list',
    run: list,
    replies: [`HTTP/1.1 100 Continue\r\n\r\n${whole}`],
    exitCode: 8,
    sent: 3,
    stderr: [
      '{"error":{"code":"connection_lost","message":"127.0.0.1:PORT closed the connection before its answer was whole","hint":"try again","exitCode":8}}',
    ],
  },
  {
    name: '100 that nobody asked for, add',
    run: add,
    replies: [`HTTP/1.1 100 Continue\r\n\r\n${reply(201, rex)}`],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"no_answer","message":"127.0.0.1:PORT gave no whole answer; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","exitCode":9}}',
    ],
  },
  {
    name: '101 that nobody asked for, list',
    run: list,
    replies: ['HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'],
    exitCode: 8,
    sent: 3,
    stderr: [
      '{"error":{"code":"connection_lost","message":"127.0.0.1:PORT closed the connection before its answer was whole","hint":"try again","exitCode":8}}',
    ],
  },
  {
    name: '101 that nobody asked for, add',
    run: add,
    replies: ['HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'],
    exitCode: 9,
    sent: 1,
    stderr: [
      '{"error":{"code":"no_answer","message":"127.0.0.1:PORT gave no whole answer; whether the pet was added is not known","hint":"petstore pets list --all shows whether it is there; adding it again may add it twice","exitCode":9}}',
    ],
  },
  {
    name: 'bytes after the answer',
    run: list,
    replies: [`${whole}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]`],
    exitCode: 0,
    sent: 1,
    stdout: rexListed,
  },
  {
    name: 'garbage after the answer',
    run: list,
    replies: [`${whole}garbage\r\n\r\n`],
    exitCode: 0,
    sent: 1,
    stdout: rexListed,
  },
]);
